"""The charts of kmet-mini, one function a chart; all values are invented for illustration."""
