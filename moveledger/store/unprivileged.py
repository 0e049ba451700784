"""How a program that refuses to run as root is run all the same when we are root."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moveledger.errors import ServerFault


@dataclass(frozen=True, slots=True)
class Identity:
    """Words that go before a command, or a user that it is started as. Neither is needed by an ordinary user."""

    prefix: tuple[str, ...] = ()
    user: str | None = None
    group: str | None = None

    def run(self, command: Sequence[str], typed: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command to its end under this identity, with its output kept and `typed` as its input."""
        return subprocess.run(
            [*self.prefix, *command],
            input=typed or "",
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            user=self.user,
            group=self.group,
            extra_groups=None if self.user is None else [],
        )

    def own(self, folder: Path) -> None:
        """Give a folder to the user of this identity and let that user walk to it; files in between stay closed."""
        if self.user is None:
            return
        shutil.chown(folder, self.user, self.group)
        for parent in folder.resolve().parents:
            mode = parent.stat().st_mode
            if mode & 0o001:
                continue
            if parent.stat().st_uid != os.geteuid() or parent == Path.home():
                raise ServerFault(f"Postgres cannot run as root, and the user {self.user} may not enter {parent}.")
            parent.chmod(mode & 0o7777 | 0o001)


def choose() -> Identity:
    """For root: a user namespace of one entry, where files stay root's; failing that, the user `nobody`."""
    if os.geteuid() != 0:
        return Identity()
    prefix = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
    if shutil.which("unshare") and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
        return Identity(prefix)
    nobody = pwd.getpwnam("nobody")
    return Identity(user="nobody", group=grp.getgrgid(nobody.pw_gid).gr_name)
