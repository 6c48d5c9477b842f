-- Saved views of lists: preferences of people, not decisions. TIMESTAMP is UTC.

CREATE TABLE saved_views (
    seq      BIGINT PRIMARY KEY,
    actor    VARCHAR NOT NULL,
    name     VARCHAR NOT NULL,
    query    VARCHAR,
    acted_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE saved_views IS 'Append-only: named filter sets of the queue, per person. The latest row of a person and name counts.';
COMMENT ON COLUMN saved_views.seq IS 'Rises by one over the whole table.';
COMMENT ON COLUMN saved_views.actor IS 'Whose view it is; nobody else sees it.';
COMMENT ON COLUMN saved_views.name IS 'Its name, 1 to 60 characters.';
COMMENT ON COLUMN saved_views.query IS 'JSON object of lists: the parameters of its address. Null: the person took it away.';
COMMENT ON COLUMN saved_views.acted_at IS 'UTC.';
