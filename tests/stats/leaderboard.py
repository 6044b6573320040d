"""Accuracy and reasoning score of the 55 models of the public K-MetBench leaderboard (kmetbench.github.io, 2025)."""

from __future__ import annotations

from typing import Final

# Solved items, items, mean reasoning score on the scale 4 to 20.
ACCURACY_AND_REASONING: Final = (
    (1288, 1692, 15.462809917355372),  # A.X-4.0
    (943, 1692, 11.454545454545455),  # A.X-4.0-Light
    (932, 1774, 9.755395683453237),  # A.X-4.0-VL-Light
    (1109, 1692, 12.809917355371901),  # c4ai-command-a-03-2025
    (1316, 1692, 14.115702479338843),  # command-a-reasoning-08-2025
    (632, 1692, 7.603305785123967),  # EXAONE-4.0-1.2B
    (1013, 1692, 13.570247933884298),  # EXAONE-4.0-32B
    (1663, 1774, 18.014388489208635),  # gemini-3-pro-preview (Thinking)
    (1377, 1774, 17.388489208633093),  # gpt-5.2
    (1557, 1774, 17.33093525179856),  # gpt-5.2 (Thinking)
    (1308, 1692, 16.123966942148762),  # gpt-oss-120b
    (1209, 1692, 13.545454545454545),  # gpt-oss-20b
    (223, 1692, 4.31404958677686),  # HyperCLOVAX-SEED-Text-Instruct-0.5B
    (518, 1692, 6.8429752066115705),  # HyperCLOVAX-SEED-Text-Instruct-1.5B
    (860, 1692, 11.289256198347108),  # HyperCLOVAX-SEED-Think-14B
    (567, 1774, 7.561151079136691),  # HyperCLOVAX-SEED-Vision-Instruct-3B
    (850, 1774, 9.453237410071942),  # InternVL3.5-14B-Instruct
    (423, 1774, 4.057553956834532),  # InternVL3.5-1B-Instruct
    (550, 1774, 4.345323741007194),  # InternVL3.5-2B-Instruct
    (1016, 1774, 11.381294964028777),  # InternVL3.5-38B-Instruct
    (736, 1774, 4.805755395683454),  # InternVL3.5-4B-Instruct
    (818, 1774, 7.071942446043166),  # InternVL3.5-8B-Instruct
    (1014, 1692, 11.15702479338843),  # Llama-3.1-70B-Instruct
    (708, 1692, 7.628099173553719),  # Llama-3.1-8B-Instruct
    (60, 1692, 4.0),  # Llama-3.2-1B-Instruct
    (572, 1692, 5.082644628099174),  # Llama-3.2-3B-Instruct
    (1010, 1774, 9.719424460431656),  # Llama-3.2-90B-Vision-Instruct
    (871, 1692, 11.75206611570248),  # Phi-4
    (515, 1692, 5.818181818181818),  # Phi-4-mini-instruct
    (213, 1692, 4.024793388429752),  # Phi-4-mini-reasoning
    (1066, 1774, 10.985611510791367),  # Qwen2.5-VL-32B-Instruct
    (726, 1774, 4.87603305785124),  # Qwen2.5-VL-3B-Instruct
    (1191, 1774, 12.942446043165468),  # Qwen2.5-VL-72B-Instruct
    (817, 1774, 7.079136690647482),  # Qwen2.5-VL-7B-Instruct
    (544, 1692, 4.603305785123967),  # Qwen3-0.6B
    (1247, 1692, 15.24793388429752),  # Qwen3-14B
    (792, 1692, 7.371900826446281),  # Qwen3-1.7B
    (1094, 1692, 14.685950413223141),  # Qwen3-30B-A3B-Instruct-2507
    (1298, 1692, 15.760330578512397),  # Qwen3-30B-A3B-Thinking-2507
    (803, 1692, 14.570247933884298),  # Qwen3-32B
    (872, 1692, 12.322314049586776),  # Qwen3-4B-Instruct-2507
    (1148, 1692, 13.28099173553719),  # Qwen3-4B-Thinking-2507
    (1186, 1692, 13.314049586776859),  # Qwen3-8B
    (1285, 1774, 15.39568345323741),  # Qwen3-VL-235B-A22B-Instruct
    (1498, 1774, 17.223021582733814),  # Qwen3-VL-235B-A22B-Thinking
    (1104, 1774, 13.366906474820144),  # Qwen3-VL-30B-A3B-Instruct
    (1328, 1774, 15.158273381294965),  # Qwen3-VL-30B-A3B-Thinking
    (1197, 1774, 14.848920863309353),  # Qwen3-VL-32B-Instruct
    (1394, 1774, 16.194244604316548),  # Qwen3-VL-32B-Thinking
    (904, 1774, 11.545454545454545),  # Qwen3-VL-4B-Instruct
    (1173, 1774, 11.575539568345324),  # Qwen3-VL-4B-Thinking
    (954, 1774, 12.071942446043165),  # Qwen3-VL-8B-Instruct
    (1272, 1774, 10.33093525179856),  # Qwen3-VL-8B-Thinking
    (1041, 1774, 11.244604316546763),  # VARCO-Vision-2.0-14B
    (624, 1774, 5.755395683453237),  # VARCO-Vision-2.0-1.7B
)
