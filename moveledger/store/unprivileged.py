"""How a program that refuses to run as root is run all the same when we are root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moveledger.errors import ServerFault

NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Identity:
    """Words that go before a command, and the user that its files must belong to. An ordinary user needs neither."""

    prefix: tuple[str, ...] = ()
    owner: int | None = None

    def run(self, command: Sequence[str], typed: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command to its end under this identity, with its output kept and `typed` as its input."""
        return subprocess.run(
            [*self.prefix, *command], input=typed or "", capture_output=True, text=True, check=False, cwd="/"
        )

    def own(self, folder: Path) -> None:
        """Give a folder, with what is in it, to the user of this identity, be it that another way was taken before.

        Raises `ServerFault` if the folder is an ordinary user's: what root gave away that one could not use again.
        """
        owner = folder.stat().st_uid
        if self.owner is None or owner == self.owner:
            return
        if owner not in (0, NOBODY):
            raise ServerFault(f"{folder} belongs to {_name_of(owner)}. Start as that user, not as root.")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, self.owner, self.owner, follow_symlinks=False)


def choose() -> Identity:
    """For root: a user namespace of one entry, where files stay root's; failing that, the user `nobody`.

    `nobody` keeps the right to walk through closed folders, such as the one that a clone in root's home lies in. The
    secure bit is for `access`, by which Postgres looks for itself and which else counts no right but root's.
    """
    if os.geteuid() != 0:
        return Identity()
    namespace = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
    rights = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--securebits=+no_setuid_fixup")
    nobody = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--pdeathsig=INT", *rights)
    for identity in (Identity(namespace, owner=0), Identity(nobody, owner=NOBODY)):
        if shutil.which(identity.prefix[0]) and identity.run(["true"]).returncode == 0:
            return identity
    raise ServerFault(
        "Postgres does not run as root, and here neither unshare nor setpriv can make it another user. "
        "Start as an ordinary user, or set DATABASE_URL to a server of yours."
    )


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
