-- Answers that were given from gated contexts, so that reach can tell retrieved, in context and cited apart.

CREATE TABLE event_answers (
    event_id    VARCHAR NOT NULL,
    answer_id   VARCHAR NOT NULL,
    corpus_id   VARCHAR NOT NULL,
    tenant      VARCHAR NOT NULL,
    cited       VARCHAR[] NOT NULL,
    answered_at TIMESTAMP NOT NULL,
    recorded_at TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL,
    segment_id  VARCHAR
);
COMMENT ON TABLE event_answers IS 'One row per answer given from the context of a retrieval event. The first report of an answer stands.';
COMMENT ON COLUMN event_answers.event_id IS 'Event; its row may come later, or never where the log is sampled.';
COMMENT ON COLUMN event_answers.answer_id IS 'The caller''s own name of the answer, unique within the event.';
COMMENT ON COLUMN event_answers.corpus_id IS 'Corpus.';
COMMENT ON COLUMN event_answers.tenant IS 'Tenant of the caller.';
COMMENT ON COLUMN event_answers.cited IS 'Ids of the documents it cited, may be empty.';
COMMENT ON COLUMN event_answers.answered_at IS 'When it was given, UTC.';
COMMENT ON COLUMN event_answers.recorded_at IS 'When it was stored, UTC.';
COMMENT ON COLUMN event_answers.actor IS 'Who recorded it.';
COMMENT ON COLUMN event_answers.segment_id IS 'Inbox segment it came in.';

CREATE VIEW event_citations AS
SELECT answers.event_id, answers.answer_id, answers.tenant, events.corpus_id, cited.document_id, ranking.version_id,
       answers.answered_at
FROM event_answers AS answers
CROSS JOIN unnest(answers.cited) AS cited(document_id)
JOIN retrieval_events AS events ON events.event_id = answers.event_id AND events.tenant = answers.tenant
JOIN event_ranking AS ranking
  ON ranking.event_id = answers.event_id AND ranking.document_id = cited.document_id AND ranking.in_context;
COMMENT ON VIEW event_citations IS 'One row per document that an answer cited from the context of an event of the same tenant.';
COMMENT ON COLUMN event_citations.document_id IS 'Document as the retriever named it.';
COMMENT ON COLUMN event_citations.version_id IS 'The version that was in the context; null where its text is not known here.';
