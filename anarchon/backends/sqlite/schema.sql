-- Instants are milliseconds since 1970 UTC by the store's clock, lengths milliseconds.

-- create_schema: what the other tables look like; the only row tells their version
CREATE TABLE IF NOT EXISTS "{namespace}_schema" (
    version INTEGER NOT NULL
) STRICT;

-- version: the version of the tables that are there
SELECT version FROM "{namespace}_schema";

-- set_version: note the version of the tables that are made now
INSERT INTO "{namespace}_schema" (version) VALUES (:version);

-- create_jobs: the newest slot of each job that was ever granted
CREATE TABLE IF NOT EXISTS "{namespace}_jobs" (
    job    TEXT PRIMARY KEY,
    newest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- create_runs: the unfinished ones, each with its current attempt and the end of its lease
CREATE TABLE IF NOT EXISTS "{namespace}_runs" (
    job         TEXT NOT NULL,
    slot        INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    token       TEXT NOT NULL,
    instance_id TEXT NOT NULL,
    until       INTEGER NOT NULL,
    lease       INTEGER NOT NULL,
    spent       INTEGER NOT NULL,
    freed       INTEGER NOT NULL,
    PRIMARY KEY (job, slot)
) STRICT, WITHOUT ROWID;

-- create_records: the history, one row for each attempt; its token tells manual runs apart
CREATE TABLE IF NOT EXISTS "{namespace}_records" (
    job         TEXT NOT NULL,
    slot        INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    token       TEXT NOT NULL,
    reason      TEXT NOT NULL,
    instance_id TEXT NOT NULL,
    started     INTEGER NOT NULL,
    ended       INTEGER,
    status      TEXT NOT NULL,
    duration    REAL,
    error       TEXT,
    handed_over INTEGER NOT NULL,
    PRIMARY KEY (job, slot, attempt, token)
) STRICT, WITHOUT ROWID;

-- create_order: history is read and trimmed in this order
CREATE INDEX IF NOT EXISTS "{namespace}_records_by_age"
ON "{namespace}_records" (job, started, attempt);
