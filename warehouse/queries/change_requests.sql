-- Grain: one request for a change of policy or role. Order: latest first. Parameters: request_id (empty = all).
SELECT requests.*, ended.outcome, ended.actor AS ended_by, ended.acted_at AS ended_at
FROM change_requests AS requests
LEFT JOIN change_request_ends AS ended USING (request_id)
WHERE $request_id = '' OR requests.request_id = $request_id
ORDER BY requests.request_id DESC
