"""Agreement between raters, human or machine: alpha, intraclass correlation, kappa, limits of agreement."""

from exambench.stats.agreement.alpha import Metric, krippendorff_alpha
from exambench.stats.agreement.bland_altman import LimitsOfAgreement, bland_altman
from exambench.stats.agreement.icc import IccForm, IntraclassCorrelation, intraclass_correlations
from exambench.stats.agreement.kappa import KappaWeights, cohen_kappa, fleiss_kappa
from exambench.stats.agreement.ratings import Agreement, rating_matrix

__all__ = [
    "Agreement",
    "IccForm",
    "IntraclassCorrelation",
    "KappaWeights",
    "LimitsOfAgreement",
    "Metric",
    "bland_altman",
    "cohen_kappa",
    "fleiss_kappa",
    "intraclass_correlations",
    "krippendorff_alpha",
    "rating_matrix",
]
