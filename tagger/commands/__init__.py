"""The subcommands of ``tagger``, a module each: ``add`` declares the arguments, ``run`` does the work.

Declaring must stay cheap, since every call of the command declares them all: what a command needs is imported in its
``run``.
"""
