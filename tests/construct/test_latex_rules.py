r"""What LaTeX of a formula is accepted: closed, known, nothing but a formula, and set by a renderer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.latex_rendering import rendering_problems
from exambench.construct.latex_rules import LONGEST, bare, is_closed, latex_problems, read_latex

ALLOWED = read_latex()

ATOMS = st.sampled_from(["x", "T_0", r"\theta", "12", r"\mathrm{hPa}", r"\text{바람}", "+", r"\,", "a'", r"\{"])
"""Formulas that are accepted, and that leave nothing open."""
WRAPPERS = st.sampled_from(
    [
        ("{", "}"),
        (r"\sqrt{", "}"),
        (r"\frac{1}{", "}"),
        (r"\left(", r"\right]"),
        (r"\left\langle ", r"\right."),
        (r"\begin{pmatrix}1 & ", r"\end{pmatrix}"),
        (r"\begin{array}{cccc}", r"\end{array}"),
    ]
)
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: (
        st.tuples(WRAPPERS, inner).map(lambda pair: f"{pair[0][0]}{pair[1]}{pair[0][1]}")
        | st.tuples(inner, inner).map(" ".join)
    ),
    max_leaves=4,
)


@pytest.mark.parametrize(
    "latex",
    [
        r"p = \rho R T",
        r"\frac{\partial T}{\partial t} + \vec{V}\cdot\nabla T = 0",
        r"f = 2\Omega\sin\varphi",
        r"\overline{u'w'}",
        r"\left.\frac{dT}{dz}\right|_{z=0}",
        r"\begin{cases} x & x > 0 \\ -x & \text{그 밖에} \end{cases}",
        r"\begin{array}{cccc} a & b & c & d \end{array}",
        r"\mathrm{CaCO_3} \rightarrow \mathrm{CaO} + \mathrm{CO_2}",
        r"25\,^\circ\mathrm{C}",
        r"[0, 1)",
    ],
)
def test_formulas_of_papers_are_accepted(latex: str) -> None:
    """By the rules, and by the renderer."""
    assert latex_problems(latex, ALLOWED) == ()
    assert rendering_problems(latex) == ()


@pytest.mark.parametrize(
    ("latex", "problem"),
    [
        ("", "There is no formula."),
        ("x" * (LONGEST + 1), "1001 characters"),
        (r"\frac{1}{2", "Not in pairs: {."),
        ("x}", "Not in pairs: }."),
        (r"\left( x", r"Not in pairs: \left."),
        (r"x \right)", r"Not in pairs: \right)."),
        (r"{\left( x } \right)", "Not in pairs"),
        (r"\begin{matrix} a", r"Not in pairs: \begin{matrix}."),
        (r"\begin{matrix} a \end{cases}", r"\end{cases}"),
        (r"\left x \right)", r"Not known: \left x."),
        (r"\begin{document} a \end{document}", r"Not known: \begin{document}."),
        (r"\input{x}", r"Not known: \input."),
        (r"\def\x{\x}", r"Not known: \def, \x."),
        (r"\href{a}{b}", r"Not known: \href."),
        ("x\\", "Not known: \\."),
        ("The formula is x", "Words outside"),
        ("<script>", "Words outside"),
        (r"\text{" + "a" * 61 + "}", "61 characters"),
        ("x$ $y", "Characters that are no LaTeX"),
        ("x % y", "Characters that are no LaTeX"),
        ("3 × 4", r"'\xd7'"),
        ("바람", "Characters that are no LaTeX"),
        (r"\text{⟦}", "Characters that are no LaTeX"),
        ("x\ny", r"'\n'"),
        ("\frac{1}{2}", r"'\x0c'"),
        ("{" * 20 + "x" + "}" * 20, "nested too deeply"),
    ],
)
def test_what_is_no_formula_is_told(latex: str, problem: str) -> None:
    """In words that a model and a person can act on."""
    assert problem in " ".join(latex_problems(latex, ALLOWED))


@pytest.mark.parametrize(
    "latex", [r"\frac{1}", r"\sqrt", "x^", "x_1_2", r"\quad", r"\frac{}{}", "a & b", r"\operatorname \epsilon \textbf"]
)
def test_what_cannot_be_set_is_told(latex: str) -> None:
    """The rules let it pass; a missing argument, a double index and an empty picture are for the renderer."""
    assert latex_problems(latex, ALLOWED) == ()
    assert len(rendering_problems(latex)) == 1


@given(FORMULAS)
def test_what_is_closed_is_accepted(latex: str) -> None:
    """Whatever is built of accepted pieces in closed pairs is accepted, as long as it is not too deep."""
    assert all("deeply" in problem for problem in latex_problems(latex, ALLOWED))


@given(FORMULAS, st.sampled_from(["{", "}", r"\left(", r"\right)", r"\begin{matrix}", r"\end{matrix}"]), st.data())
def test_one_bracket_more_is_never_accepted(latex: str, bracket: str, data: st.DataObject) -> None:
    """Wherever it stands between the pieces of a formula."""
    pieces = latex.split(" ")
    place = data.draw(st.integers(0, len(pieces)))
    broken = " ".join([*pieces[:place], bracket, *pieces[place:]])
    assert any("Not in pairs" in problem for problem in latex_problems(broken, ALLOWED))


@given(st.from_regex(r"[A-Za-z]{1,12}", fullmatch=True), FORMULAS)
def test_a_command_is_accepted_when_it_is_listed_and_only_then(name: str, latex: str) -> None:
    r"""Sides and environments, which have partners, apart."""
    known = name in ALLOWED.commands | ALLOWED.words
    told = any(f"Not known: \\{name}" in problem for problem in latex_problems(rf"\{name} {latex}", ALLOWED))
    assert known != (told or name in {"left", "right", "begin", "end"})


@given(st.text(st.sampled_from("{}\\leftright()[]beginend$%x^_& ⟦⟧한\n"), max_size=80))
def test_any_text_is_judged(latex: str) -> None:
    """No text ends the check with an error, and what passes holds no sign that ends a formula or is a mark."""
    if not latex_problems(latex, ALLOWED):
        assert not set(latex) & set("$⟦⟧\n")
        rendering_problems(latex)


@pytest.mark.parametrize("written", ["x^2", " x^2 ", "$x^2$", "$$x^2$$", r"\(x^2\)", r"\[ x^2 \]"])
def test_signs_around_a_formula_are_no_part_of_it(written: str) -> None:
    """Models write them whatever they are told."""
    assert bare(written) == "x^2"


@pytest.mark.parametrize(
    ("latex", "closed"), [("(x]", True), ("f(x", False), (r"\left( x \right.", True), (r"\sqrt[3]{x}", True)]
)
def test_round_and_square_brackets_are_counted(latex: str, closed: bool) -> None:  # noqa: FBT001 - an expected value
    """Half-open intervals are closed; sides are pairs of their own."""
    assert is_closed(latex) is closed
