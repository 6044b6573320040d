"""Requests out, responses in: client, limits, retries, pictures, local servers, and the loop that runs them."""
