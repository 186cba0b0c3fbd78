"""The services on which reviews are posted, one module each. `service.py` says what they have in common.

A service is a small class over `posting/client.py`: addresses, fields, and what belongs to whom. Gitee
and GitCode have nearly the same API, ``v5.py``; what differs are the values of a `Dialect`. `known.py`
names all services.
"""
