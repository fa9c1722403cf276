"""The page's own files are there, and nothing else."""


def test_scripts_are_scripts_whatever_the_system_thinks(ask):
    assert ask("GET", "/page/js/main.js").headers["content-type"].startswith("text/javascript")
    assert ask("GET", "/").headers["content-type"].startswith("text/html")


def test_only_files_of_the_page_are_there(ask):
    for name in ("../web/app.py", "js/../../web/app.py", "js", "", "missing.js", "/etc/passwd"):
        assert ask("GET", f"/page/{name}").status_code == 404
