-- Grain: one document on hold with the last end of its holds, all tenants. Order: corpus, document. Parameters: now.
SELECT corpora.name, holds.document_id, max(holds.expires_at)
FROM holds
JOIN corpora USING (corpus_id)
ANTI JOIN hold_ends USING (hold_id)
WHERE holds.expires_at > $now
GROUP BY 1, 2
ORDER BY 1, 2
