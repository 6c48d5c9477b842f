-- Blanks evidence that is made of the texts' words and places; the numbers stay. Parameters: versions.
UPDATE candidate_evidence
SET anchors = '[]', script_runs = '[]', surprisal = '{}', alignment = '{}'
WHERE list_contains($versions, version_id)
