"""Pages of tables and pictures, for all applications; private to the library.

content : what a page shows, before it is HTML or Markdown
html, markdown : the page as text
pictures : the style of pictures, and their files
writing : the files of a page
versions : the packages that a page was made with
"""
