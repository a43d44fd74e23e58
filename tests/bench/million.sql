-- million.sql - a million results with 20 factors each and ten million samples, into a database that abdb made:
-- 900,000 values of 300,000 measured cells, 50,000 of MLPerf form in 25 rounds, 50,000 published. Then `abdb init` makes
-- the indexes. Run by reports.sh.
PRAGMA synchronous = OFF;
PRAGMA journal_mode = MEMORY;
PRAGMA cache_size = -500000;
CREATE TEMP TABLE size AS SELECT 33 AS samples, 50000 AS others;
CREATE TEMP TABLE d AS SELECT row_number() OVER (ORDER BY device) - 1 AS i, device FROM device WHERE kind <> 'memory' ORDER BY device LIMIT 100;
CREATE TEMP TABLE m AS SELECT row_number() OVER (ORDER BY model) - 1 AS i, model FROM (
  SELECT model FROM model WHERE task IN ('llm', 'vision', 'language') ORDER BY model LIMIT 24);
CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 299999) INSERT INTO n SELECT i FROM c;

-- 3 x 400 sets of 20 factors: of products, of streams, of what others measured
INSERT OR IGNORE INTO factor (factor) SELECT 'bench_' || i FROM n WHERE i < 19 UNION SELECT 'n' UNION SELECT 'bound' UNION SELECT 'ceiling';
INSERT INTO point SELECT 1000000 + i, 1000000007 * (i + 1), i FROM n WHERE i < 1200;
INSERT INTO point_factor SELECT 1000000 + i, 'n', 'known', CAST(i % 400 AS TEXT), i % 400, NULL FROM n WHERE i < 1200;
INSERT INTO point_factor SELECT 1000000 + i, 'bound', 'known', CASE WHEN i < 400 THEN 'operations' ELSE 'bytes' END, NULL, NULL FROM n WHERE i < 800;
INSERT INTO point_factor SELECT 1000000 + i, 'ceiling', 'known', CASE WHEN i < 400 THEN 'peak_flops' ELSE 'memory_bandwidth' END, NULL, NULL
  FROM n WHERE i < 800;
INSERT INTO point_factor SELECT 1000000 + p.i, 'bench_' || f.i, 'known', CAST((p.i * (f.i + 3)) % (f.i + 2) AS TEXT),
       (p.i * (f.i + 3)) % (f.i + 2), NULL
  FROM n p, n f WHERE p.i < 1200 AND f.i < CASE WHEN p.i < 800 THEN 17 ELSE 19 END;
INSERT OR IGNORE INTO source (source, kind, title, rank) VALUES ('bench', 'program', 'generated', 60);
INSERT INTO environment VALUES (4242, 4242, 4242, '{"governor":"performance"}');

-- staged with all columns, moved into the tables at the end; a name of temp comes before the view of that name
CREATE TEMP TABLE entry (number INTEGER PRIMARY KEY, entry_id INTEGER, point_id INTEGER, environment_id INTEGER, evidence TEXT, kind TEXT,
    status TEXT DEFAULT 'ok', reason TEXT, verified TEXT DEFAULT 'unknown', suite TEXT, system_type TEXT, round TEXT, division TEXT,
    availability TEXT, public_id TEXT, submitter TEXT, system TEXT, platform TEXT, workload TEXT, model TEXT, scenario TEXT, device TEXT,
    devices INTEGER, nodes INTEGER, backend TEXT, dtype TEXT, date TEXT, tag TEXT, campaign TEXT, cell TEXT, flags TEXT DEFAULT '',
    source TEXT, url TEXT, retrieved TEXT);
INSERT INTO entry (number) VALUES (10000000); -- numbers behind those of the shipped facts
INSERT INTO quantity (quantity_id, metric, statistic, unit) VALUES (1000001, 'time_s', 'median', 's'), (1000002, 'flops_per_s', 'value', 'FLOP/s'),
    (1000003, 'bytes_per_s', 'value', 'B/s'), (1000004, 'tokens_per_s', 'value', 'token/s');

-- measured: 3,000 campaigns of 100 cells; a key is spread like a digest
INSERT INTO entry (entry_id, point_id, environment_id, evidence, kind, verified, suite, workload, device, devices, nodes, backend, dtype,
                   date, tag, campaign, cell, source)
SELECT (i * 7919) % 300007 * 12345678901237, 1000000 + i % 400 + CASE WHEN i % 3 THEN 0 ELSE 400 END, 4242, 'measured', 'run', 'pass', 'abdb',
       CASE WHEN i % 3 THEN 'gemm' ELSE 'stream' END, 'Box CPU ' || (i / 100 % 100), 1, 1, CASE i % 2 WHEN 0 THEN 'openblas' ELSE 'ref' END,
       CASE i % 4 WHEN 0 THEN 'f64' ELSE 'f32' END, strftime('%Y-%m-%dT%H:%M:%SZ', 1700000000 + i * 20, 'unixepoch'),
       CASE WHEN i / 100 % 50 = 0 THEN 'tag' || (i / 100) END, 'c-' || (i / 100), 'openblas gemm n=' || (i % 100), 'abdb-run'
  FROM n ORDER BY 1;
DELETE FROM entry WHERE number = 10000000;
CREATE TEMP TABLE base AS SELECT (SELECT coalesce(max(result_id), 0) FROM result_row) AS result, (SELECT coalesce(max(sample_id), 0) FROM sample_row) AS sample,
    (SELECT min(number) FROM entry) AS entry;
INSERT INTO result_row (result_id, entry_id, ordinal, quantity_id, value, n, first_sample, last_sample)
SELECT b.result + 3 * (number - b.entry) + k.i + 1, number, k.i, 1000001 + k.i,
       CASE k.i WHEN 0 THEN 0.001 WHEN 1 THEN 1e11 ELSE 5e10 END * (1 + (entry_id % 1000) / 5000.0), z.samples,
       CASE k.i WHEN 0 THEN b.sample + z.samples * (number - b.entry) + 1 END, CASE k.i WHEN 0 THEN b.sample + z.samples * (number - b.entry + 1) END
  FROM entry, n k, base b, size z WHERE source = 'abdb-run' AND k.i < 3 ORDER BY 1;
INSERT INTO sample_row (sample_id, value, t_s)
SELECT b.sample + z.samples * (number - b.entry) + k.i + 1, 0.001 * (1 + ((e.entry_id + k.i * 7919) % 1009) / 5000.0), k.i * 0.001
  FROM entry e, n k, base b, size z WHERE e.source = 'abdb-run' AND k.i < z.samples ORDER BY 1;

-- MLPerf form: 25 rounds of 2,000 results
INSERT INTO entry (entry_id, point_id, evidence, kind, verified, suite, system_type, round, division, availability, public_id, submitter,
                   system, workload, model, scenario, device, devices, nodes, dtype, source)
SELECT 4611686018427387904 + n.i, 1000800 + n.i % 400, 'mlperf', 'statement', 'yes', 'inference', 'datacenter',
       printf('v%d.%d', n.i / 2000 / 5 + 2, n.i / 2000 % 5), 'closed', 'available', 'b-' || n.i, 'Submitter ' || (n.i % 40),
       'System ' || (n.i % 700),
       m.model, m.model, CASE n.i / 24 % 3 WHEN 0 THEN 'Offline' WHEN 1 THEN 'Server' ELSE 'Interactive' END, d.device, 8, 1, 'fp8', 'mlperf-site'
  FROM n JOIN m ON m.i = n.i % 24 JOIN d ON d.i = n.i / 7 % 100 WHERE n.i < (SELECT others FROM size);
INSERT INTO result_row (entry_id, ordinal, quantity_id, value, raw_value)
SELECT number, 0, 1000004, 1000 + entry_id % 99991, CAST(1000 + entry_id % 99991 AS TEXT) FROM entry WHERE public_id LIKE 'b-%';
-- published
INSERT INTO entry (entry_id, point_id, evidence, kind, workload, model, scenario, device, devices, nodes, dtype, date, source)
SELECT 6917529027641081856 + n.i, 1000800 + n.i % 400, 'published', 'statement', 'serving', m.model, 'serving', d.device, 8, 1, 'bf16',
       '2026-01-01', 'bench'
  FROM n JOIN m ON m.i = n.i % 24 JOIN d ON d.i = n.i / 24 % 100 WHERE n.i < (SELECT others FROM size);
INSERT INTO result_row (entry_id, ordinal, quantity_id, value)
SELECT number, 0, 1000004, 500 + entry_id % 50021 FROM entry WHERE source = 'bench';

-- descriptions, each once
CREATE TEMP TABLE told AS SELECT *, min(number) OVER (PARTITION BY evidence, kind, verified, suite, system_type, round, division, availability,
    public_id, submitter, system, workload, model, scenario, device, devices, nodes, backend, dtype, tag, campaign, source) AS first
  FROM entry;
INSERT INTO description SELECT number, number, number, evidence, kind, status, reason, verified, suite, system_type, round, division, availability,
    public_id, submitter, system, platform, workload, model, scenario, device, devices, nodes, backend, dtype, tag, campaign, flags,
    source, url, retrieved FROM told WHERE number = first;
INSERT INTO entry_row SELECT number, entry_id, number, first, point_id, environment_id, NULL, date, cell, NULL, NULL, NULL, NULL FROM told ORDER BY number;
