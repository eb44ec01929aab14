"""The branch map as geometry: which lane each line takes, what is drawn of it, and where one can go.

Everything here counts in columns and lanes. Nothing touches a database, a page or a unit of length.
"""
