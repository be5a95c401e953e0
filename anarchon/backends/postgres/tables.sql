-- The tables of one namespace, in a schema of its own; {schema} is its quoted name.
-- Instants are milliseconds since 1970 UTC by the server's clock, lengths milliseconds.
-- Names compare byte by byte, whatever the database's collation makes of them.
-- There are no checks: the server reads the text of each anew in every statement, and
-- nothing but the steps writes here.

-- the only row tells which version of all this is here
CREATE TABLE {schema}.schema_version (
    version integer NOT NULL
);
INSERT INTO {schema}.schema_version VALUES ({version});

-- the unfinished runs, each with its current attempt and the end of its lease. A run
-- that has ended stays until a newer one has been granted and the job is trimmed, so
-- that a job's newest row always tells the newest slot that it was ever granted. It also
-- tells what its grant left of the history: "keep" records, and those that ended since
-- "young"; "untrimmed" counts the grants since what is beyond was dropped
CREATE TABLE {schema}.runs (
    job         text COLLATE "C" NOT NULL,
    slot        bigint NOT NULL,
    attempt     integer NOT NULL,
    token       text COLLATE "C" NOT NULL,
    instance_id text NOT NULL,
    started     bigint NOT NULL,
    until       bigint NOT NULL,
    lease       bigint NOT NULL,
    spent       boolean NOT NULL,
    freed       integer NOT NULL,
    ended       boolean NOT NULL,
    keep        bigint NOT NULL,
    young       bigint NOT NULL,
    untrimmed   integer NOT NULL,
    PRIMARY KEY (job, slot)
) WITH (fillfactor = 50);

-- the history, one row for each attempt; its token tells manual runs apart. Its order
-- is that of the history: a run knows when its attempt started, and so finds its row
CREATE TABLE {schema}.records (
    job         text COLLATE "C" NOT NULL,
    started     bigint NOT NULL,
    attempt     integer NOT NULL,
    slot        bigint NOT NULL,
    token       text COLLATE "C" NOT NULL,
    reason      text NOT NULL,
    instance_id text NOT NULL,
    ended       bigint,
    status      text NOT NULL,
    duration    double precision,
    error       text,
    handed_over integer NOT NULL,
    PRIMARY KEY (job, started, attempt, slot, token)
) WITH (fillfactor = 80);

-- a claim as an instance asks it; "within" is how long after its slot a first attempt
-- may still be granted, "startable" how long after it anybody could start it
CREATE TYPE {schema}.request AS (
    job          text,
    slot         bigint,
    token        text,
    attempt      integer,
    instance_id  text,
    mode         text,
    lease        bigint,
    skip         boolean,
    max_attempts integer,
    "within"     bigint,
    startable    bigint,
    keep         bigint,
    keep_for     bigint
);
