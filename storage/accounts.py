"""Accounts of users and their sessions."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock

from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import AccountRecord
from truehue.storage.database.connection import Database, aware

ADMIN = "admin"
ROLES = (ADMIN, "researcher", "expert")
"""What an account can be."""
CLOCK_STEP = timedelta(minutes=1)
"""A clock that is put back by less than this ends no session."""


@dataclass(frozen=True)
class _Account:
    record: AccountRecord
    password_hash: str


@dataclass(frozen=True)
class _Session:
    """Times are the machine's, UTC without a zone: time must not stand still for a session."""

    account_id: str
    created_at: datetime
    expires_at: datetime

    def valid(self, now: datetime) -> bool:
        """Whether it has begun and not ended: one that lies ahead is of a clock that was ahead."""
        return self.created_at <= now + CLOCK_STEP and now < self.expires_at


@dataclass
class _Known:
    """What the tables hold: sessions by their hash, accounts also by an id of Hugging Face."""

    accounts: dict[str, _Account] = field(default_factory=dict)
    sessions: dict[str, _Session] = field(default_factory=dict)
    hugging_face: dict[str, str] = field(default_factory=dict)


class Accounts:
    """The accounts and their sessions. Any thread may call.

    Every request looks up its session, so all data is also held in memory: one process owns the
    database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: _Known | None = None
        self._reading = Lock()
        # What is checked before a change still holds when it is made. Who only looks does not wait.
        self._changing = Lock()

    def any(self) -> bool:
        """Whether there is an account: then an admin's is open."""
        return bool(self._known().accounts)

    def all(self) -> list[AccountRecord]:
        """Every account, also those that are closed, in the order in which they were made."""
        return [account.record for account in list(self._known().accounts.values())]

    def get(self, account_id: str) -> AccountRecord:
        """The account of an id; raises NotStored."""
        return self._account(account_id).record

    def by_name(self, name: str) -> tuple[AccountRecord, str] | None:
        """The open account of that name, however it is capitalized, and the hash of its password;
        None where there is none."""
        key = name_key(name)
        for account in list(self._known().accounts.values()):
            if not account.record.closed and name_key(account.record.name) == key:
                return account.record, account.password_hash
        return None

    def by_hugging_face(self, hugging_face_id: str) -> AccountRecord | None:
        """The account, open or closed, that this id of Hugging Face signs in to; None
        where there is none."""
        known = self._known()
        account = known.accounts.get(known.hugging_face.get(hugging_face_id, ""))
        return account.record if account else None

    def has_hugging_face(self, account_id: str) -> bool:
        """Whether this account is connected to Hugging Face."""
        return account_id in self._known().hugging_face.values()

    def connect_hugging_face(self, account_id: str, hugging_face_id: str) -> None:
        """From now on this id of Hugging Face signs in to this account, and to no
        other. Raises NotStored, and BadInput where an id has an open account already."""
        with self._changing:
            self._account(account_id)
            other = self.by_hugging_face(hugging_face_id)
            if other is not None and not other.closed and other.id != account_id:
                raise BadInput(
                    f"This Hugging Face account signs in to the account {other.name} already."
                )
            with self._database.transaction() as cursor:
                cursor.execute(
                    "DELETE FROM hugging_face_accounts WHERE account_id = ?", [account_id]
                )
                cursor.execute(
                    "INSERT OR REPLACE INTO hugging_face_accounts VALUES (?, ?)",
                    [hugging_face_id, account_id],
                )
            known = self._known()
            known.hugging_face = {
                key: value for key, value in known.hugging_face.items() if value != account_id
            } | {hugging_face_id: account_id}

    def disconnect_hugging_face(self, account_id: str) -> None:
        """Nobody signs in to this account with Hugging Face any more."""
        with self._changing:
            known = self._known()
            known.hugging_face = {
                key: value for key, value in known.hugging_face.items() if value != account_id
            }
            with self._database.transaction() as cursor:
                cursor.execute(
                    "DELETE FROM hugging_face_accounts WHERE account_id = ?", [account_id]
                )

    def add(
        self, name: str, role: str, password_hash: str, hugging_face_id: str = ""
    ) -> AccountRecord:
        """Make an account; ``hugging_face_id`` signs in to it, where one is given.

        Raises BadInput for a role that there is not, for a name that an open account has, and for a
        first account that is no admin.
        """
        if role not in ROLES:
            raise BadInput(f"A role is one of {', '.join(ROLES)}, not {role[:40]!r}.", "role")
        with self._changing:
            if self.by_name(name) is not None:
                raise BadInput(
                    f"There is an account of the name {name!r} already. Choose another.", "name"
                )
            if role != ADMIN and not self.any():
                raise BadInput("The first account has to be an admin's.", "role")
            account_id, now = secrets.token_hex(16), self._database.now()
            with self._database.transaction() as cursor:
                cursor.execute(
                    "INSERT INTO accounts "
                    "(account_id, name, role, password_hash, closed, created_at) "
                    "VALUES (?, ?, ?, ?, false, ?)",
                    [account_id, name, role, password_hash, now],
                )
                if hugging_face_id:
                    cursor.execute(
                        "INSERT INTO hugging_face_accounts VALUES (?, ?)",
                        [hugging_face_id, account_id],
                    )
            record = AccountRecord(account_id, name, role, False, aware(now))
            self._known().accounts[account_id] = _Account(record, password_hash)
            if hugging_face_id:
                self._known().hugging_face[hugging_face_id] = account_id
            return record

    def set_password_hash(self, account_id: str, password_hash: str) -> None:
        """Store another hash of the password; raises NotStored."""
        with self._changing:
            account = self._account(account_id)
            self._update("password_hash", password_hash, account_id)
            self._known().accounts[account_id] = replace(account, password_hash=password_hash)

    def close(self, account_id: str) -> None:
        """Nobody signs in with this account any more, and its sessions end. Raises NotStored, and
        BadInput for the last open account of an admin."""
        with self._changing:
            account = self._account(account_id)
            admins = [
                account_record
                for account_record in self.all()
                if account_record.role == ADMIN and not account_record.closed
            ]
            if admins == [account.record]:
                raise BadInput(
                    f"{account.record.name} is the only admin whose account is open: without one "
                    "nobody could look after the others. Add another admin first."
                )
            self._update("closed", True, account_id)
            record = replace(account.record, closed=True)
            self._known().accounts[account_id] = replace(account, record=record)
        self.end_sessions(account_id)

    def begin_session(self, account_id: str, session_hash: str, seconds: float) -> None:
        """Store a session that ends by itself after so many seconds; those that have are forgotten.

        ``session_hash`` is of a token of chance that nobody had before. Raises NotStored.
        """
        with self._changing:
            self._account(account_id)
            now = self._database.machine_time()
            session = _Session(account_id, now, now + timedelta(seconds=seconds))
            with self._database.transaction() as cursor:
                cursor.execute(
                    "DELETE FROM account_sessions WHERE expires_at <= ? OR created_at > ?",
                    [now, now + CLOCK_STEP],
                )
                cursor.execute(
                    "INSERT INTO account_sessions "
                    "(session_hash, account_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
                    [session_hash, account_id, session.created_at, session.expires_at],
                )
            known = self._known()
            valid = {key: item for key, item in known.sessions.items() if item.valid(now)}
            known.sessions = {**valid, session_hash: session}

    def session(self, session_hash: str) -> AccountRecord | None:
        """Whose session it is; None where it has ended, or the account is closed."""
        known = self._known()
        session = known.sessions.get(session_hash)
        if session is None or not session.valid(self._database.machine_time()):
            return None
        account = known.accounts.get(session.account_id)
        return None if account is None or account.record.closed else account.record

    def end_session(self, session_hash: str) -> None:
        """End a session; one that is not there has ended already."""
        sessions = self._known().sessions
        self._end({session_hash} & set(sessions))

    def end_sessions(self, account_id: str) -> None:
        """End all sessions of an account."""
        sessions = dict(self._known().sessions)
        self._end({key for key, session in sessions.items() if session.account_id == account_id})

    def _end(self, session_hashes: Collection[str]) -> None:
        if not session_hashes:
            return
        with self._changing:
            # In memory first: they have ended, also where the disk cannot be written.
            known = self._known()
            known.sessions = {
                key: session for key, session in known.sessions.items() if key not in session_hashes
            }
            with self._database.transaction() as cursor:
                cursor.execute(
                    "DELETE FROM account_sessions "
                    "WHERE session_hash IN (SELECT unnest(?::VARCHAR[]))",
                    [list(session_hashes)],
                )

    def _update(self, column: str, value: object, account_id: str) -> None:
        with self._database.transaction() as cursor:
            cursor.execute(
                f"UPDATE accounts SET {column} = ? WHERE account_id = ?", [value, account_id]
            )

    def _account(self, account_id: str) -> _Account:
        account = self._known().accounts.get(account_id)
        if account is None:
            raise NotStored("There is no such account.")
        return account

    def _known(self) -> _Known:
        with self._reading:
            if self._held is None:
                self._held = self._read()
            return self._held

    def _read(self) -> _Known:
        accounts = self._database.rows(
            "SELECT account_id, name, role, closed, created_at, password_hash FROM accounts "
            "ORDER BY created_at, name"
        )
        sessions = self._database.rows(
            "SELECT session_hash, account_id, created_at, expires_at FROM account_sessions"
        )
        hugging_face = self._database.rows(
            "SELECT hugging_face_id, account_id FROM hugging_face_accounts"
        )
        return _Known(
            {
                str(row[0]): _Account(
                    AccountRecord(row[0], row[1], row[2], bool(row[3]), aware(row[4])), str(row[5])
                )
                for row in accounts
            },
            {str(key): _Session(str(account_id), *times) for key, account_id, *times in sessions},
            {str(key): str(account_id) for key, account_id in hugging_face},
        )


def name_key(name: str) -> str:
    """What is the same for two spellings of one name: however it is capitalized and composed."""
    return unicodedata.normalize("NFKC", name).casefold().strip()
