-- facts.sql - everything that is a fact, without artifact, line, time and the numbers that a row has in its own file: what two
-- databases must give alike. common.bash and the campaigns of fault/ make a digest of it.
SELECT run, (SELECT point_key FROM point p WHERE p.point_id = e.point_id), (SELECT body FROM environment v
    WHERE v.environment_id = e.environment_id), evidence, kind, status, reason, verified, suite, system_type, round, division, availability,
    public_id, submitter, system, platform, workload, model, scenario, device, devices, nodes, backend, dtype, date, tag, campaign, cell,
    flags, source, url, retrieved, origin, (SELECT repetition || ' ' || start || ' ' || started FROM process p WHERE p.process_id = e.process_id)
    FROM entry e ORDER BY 1;
SELECT e.entry_key, r.ordinal, metric, statistic, rank, x, value, unit, raw_value, raw_unit, r.cell, n, low, high, spread, formula
    FROM result r JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
SELECT p.point_key, factor, state, text, num, unit FROM point_factor f JOIN point p USING (point_id) ORDER BY 1, 2;
SELECT e.entry_key, r.ordinal, seq, s.rank, t_s, s.value, mark FROM sample s JOIN result_row r USING (result_id)
    JOIN entry_row e ON e.entry_id = r.entry_id ORDER BY 1, 2, 3;
SELECT e.entry_key, t.sensor, t.quantity, t.t_s, t.value, t.unit FROM telemetry t JOIN entry_row e USING (entry_id) ORDER BY 1, 2, 3, 4;
SELECT e.entry_key, s.place, s.span, s.calls, s.time_s FROM span s JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
SELECT e.entry_key, k.mpi_rank, k.host, k.device, k.binding FROM rank k JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
SELECT a.entry_key, b.entry_key, p.role FROM part p JOIN entry_row a ON a.entry_id = p.whole
    JOIN entry_row b ON b.entry_id = p.piece ORDER BY 1, 2;
SELECT spec_key, device, quantity, dtype, engine, sparsity, basis, power_limit, value, unit, raw_value, raw_unit, note, source, locator,
    date FROM spec ORDER BY 1;
SELECT price_key, provider, instance, device, devices, kind, region, amount, currency, per, valid_from, raw_value, source, locator
    FROM price ORDER BY 1;
SELECT environment_key, body FROM environment ORDER BY 1;
SELECT note_key, kind, target, text, author, date FROM note ORDER BY 1;
SELECT * FROM alias ORDER BY 1, 2, 3;
SELECT * FROM device ORDER BY 1;
SELECT * FROM name ORDER BY 1, 2, 3;
SELECT * FROM name_factor ORDER BY 1, 2;
SELECT * FROM decoration ORDER BY 1;
SELECT * FROM round ORDER BY 1, 2;
SELECT e.entry_key, ordinal, subject, preferred, sources, disagree, s.flags, public_id, verified
    FROM subject s JOIN result_row r USING (result_id) JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
SELECT e.entry_key, ordinal FROM ceiling_best JOIN result_row r USING (result_id) JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
