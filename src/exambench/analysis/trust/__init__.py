"""How far a judge can be trusted: is it consistent, and what moves its scores that should not?"""
