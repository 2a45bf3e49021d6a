"""The exception for what is not carried."""


class Refused(TypeError):
    """Something that is not carried across the link, by name."""
