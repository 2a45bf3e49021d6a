# technique: os-exit-at-import
import os

os._exit(0)
