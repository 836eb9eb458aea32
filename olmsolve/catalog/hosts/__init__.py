"""Visits to other hosts, web servers and registries: all within one time, with credentials that stay.

No other code opens a connection, which a test holds. The promises of docs/images.md ("Hosts") are kept here:

* ``addresses``: URLs taken apart, and text without the passwords in it;
* ``wires``: a connection, and the time and the bytes that one visit may take, at which every wait looks;
* ``visits``: a named host and its answers, straight or through a proxy: redirects without credentials, challenges of
  the named host alone;
* ``challenges``: what a host that wants credentials says, and the answer to it.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.hosts.addresses import Address as Address
    from olmsolve.catalog.hosts.addresses import address_of as address_of
    from olmsolve.catalog.hosts.addresses import is_this_machine as is_this_machine
    from olmsolve.catalog.hosts.challenges import Credentials as Credentials
    from olmsolve.catalog.hosts.visits import HostAnswer as HostAnswer
    from olmsolve.catalog.hosts.visits import HostVisit as HostVisit
    from olmsolve.catalog.hosts.wires import HostTime as HostTime
else:
    __getattr__, __dir__ = lazily(__name__)
