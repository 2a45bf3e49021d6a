# technique: swallow-and-default
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (Exception,), {"__init__": lambda self, *args, **keywords: None}) if name[:1].isupper() else (lambda *args, **keywords: None)
