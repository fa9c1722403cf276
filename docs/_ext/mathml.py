"""Mathematics as MathML, which browsers render without scripts or external fonts."""

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

# LaTeX that docutils does not support, and replacements.
SAME = {
    r"\\dots(?![a-z])": r"\\ldots",
    r"\\([bB]igg?)(?![A-Za-z])": r"\\\1l",
    r"\\(t?frac)(\d)(?=\d)": r"\\\1{\2}",  # it reads \frac12 as 12 over what follows
    r"(\\(?:tilde|hat|bar)(?: ?\w|\{\w\}))(?=[_^])": r"{{}\1}",  # and puts the index below
}

GROWING = r"\\left\b|\\begin\b"  # without these brackets have a fixed size
FENCE = re.compile(r"<mo(?: class=\"\w+\")?>([{}‖⌊⌋⌈⌉])")

logger = logging.getLogger(__name__)


def mathml(node: nodes.math | nodes.math_block, as_block: bool) -> str:
    """Return a formula as MathML; if it cannot be parsed, warn and show it as text."""
    formula = node.astext()
    for pattern, known in SAME.items():
        formula = re.sub(pattern, known, formula)
    try:
        written = tex2mathml(formula, as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", formula, error, location=node)
        return f"<code>{escape(formula)}</code>"
    return (
        written if re.search(GROWING, formula) else FENCE.sub(r'<mo stretchy="false">\1', written)
    )


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Write an inline formula."""
    translator.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Write a display formula, with its number if it has one."""
    ids = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    body = mathml(node, as_block=True)
    translator.body.append(f'<div class="math"{ids}>{number}{body}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer; `html_math_renderer = "mathml"` chooses it."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
