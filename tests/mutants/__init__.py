"""Mutation testing: small faults are planted in one room of the package, and its tests have to find them.

``mutating`` plants them in syntax trees, ``rooms`` says which tests are asked for which room, ``running`` asks them in
a forked process for each mutant. Mutants live in memory alone. Of the tools that exist, cosmic-ray changes the files of
the checkout (and leaves the change there if it is interrupted) and starts Python anew for each mutant, five of which
took a minute; mutmut copies the checkout, and had no mutant of ``semver`` ready after two and a half minutes.
"""
