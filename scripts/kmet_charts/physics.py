"""Charts of atmospheric physics: Köhler curves and black-body spectra."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from kmet_charts.canvas import BLUE, GREEN, GREY, INK, RED, save

Floats = NDArray[np.float64]

KELVIN_RADIUS: Final = 1.2e-3
"""Curvature coefficient a of a pure-water droplet near 0 °C, in micrometres."""

HYGROSCOPICITY: Final = 1.2
"""Solute coefficient b over the cube of the dry radius, for a sea-salt particle."""


def _supersaturation(radius: Floats, dry_radius: float) -> Floats:
    """Return Köhler's equilibrium supersaturation a/r - b/r³, in per cent; radii in micrometres."""
    return 100 * (KELVIN_RADIUS / radius - HYGROSCOPICITY * dry_radius**3 / radius**3)


def koehler_curves(path: Path) -> None:
    """Draw the Köhler curves of three sea-salt particles of unequal mass."""
    radius = np.geomspace(0.04, 3, 600)
    figure, axes = plt.subplots(figsize=(7.8, 5.6), layout="constrained")
    for label, dry_radius, colour, at in (
        ("가", 0.02, RED, (0.143, 0.42)),
        ("나", 0.03, GREEN, (0.265, 0.19)),
        ("다", 0.05, BLUE, (0.56, 0.04)),
    ):
        axes.plot(radius, _supersaturation(radius, dry_radius), color=colour, lw=2.3)
        axes.text(*at, label, color=colour, fontsize=16, fontweight="bold")
    axes.axhline(0, color=INK, lw=0.8)
    axes.set_xscale("log")
    axes.set_xticks([0.05, 0.1, 0.2, 0.5, 1, 2], ["0.05", "0.1", "0.2", "0.5", "1", "2"])
    axes.set_yticks(np.arange(-0.4, 0.71, 0.1))
    axes.set(xlim=(0.05, 3), ylim=(-0.4, 0.7), xlabel="물방울 반지름 (μm)", ylabel="평형 과포화도 (%)")
    axes.grid(visible=True, color=GREY, lw=0.5, ls=":")
    save(figure, path)


def _planck(micrometres: Floats, kelvin: float) -> Floats:
    """Return the black-body radiance, in W m^-2 sr^-1 per micrometre (Planck's law)."""
    planck, light, boltzmann = 6.62607015e-34, 2.99792458e8, 1.380649e-23
    metres = micrometres * 1e-6
    exponent = planck * light / (metres * boltzmann * kelvin)
    return 1e-6 * 2 * planck * light**2 / metres**5 / np.expm1(exponent)


def planck_spectra(path: Path) -> None:
    """Draw the spectra of two black bodies, X the cooler one."""
    wavelength = np.linspace(2, 40, 400)
    figure, axes = plt.subplots(figsize=(7.8, 5.4), layout="constrained")
    for label, kelvin, colour, at in (("X", 240.0, BLUE, (15, 3.2)), ("Y", 300.0, RED, (13, 8.6))):
        axes.plot(wavelength, _planck(wavelength, kelvin), color=colour, lw=2.4)
        axes.text(*at, label, color=colour, fontsize=18, fontweight="bold")
    axes.set_xticks(np.arange(0, 41, 4))
    axes.set_xticks(np.arange(0, 41, 1), minor=True)
    axes.grid(visible=True, which="major", color=GREY, lw=0.7, ls=":")
    axes.grid(visible=True, which="minor", axis="x", color=GREY, lw=0.3, ls=":")
    axes.set(xlim=(0, 40), ylim=(0, 11), xlabel="파장 (μm)", ylabel="복사휘도 (W m$^{-2}$ sr$^{-1}$ μm$^{-1}$)")
    save(figure, path)
