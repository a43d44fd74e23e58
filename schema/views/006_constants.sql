-- 006_constants.sql - small tables that the formulas look up.

-- Number formats as specifications spell them, and the bytes of one number.
CREATE VIEW v_number_format (number_format, size_B) AS
SELECT CAST(c.column1 AS TEXT) AS number_format, CAST(c.column2 AS DOUBLE PRECISION) AS size_B
  FROM (VALUES ('fp64', 8.0), ('fp32', 4.0), ('tf32', 4.0), ('bf16', 2.0), ('fp16', 2.0), ('fp8', 1.0), ('int8', 1.0), ('fp4', 0.5),
       ('int4', 0.5)) c;

-- What decoding reads in a step, by number format: the weights that a token uses, and for every sequence and token before it
-- keys and values: 2 (a key and a value) x layers x heads of them x width of a head x bytes of a number.
CREATE VIEW v_model_bytes AS
SELECT m.model AS model, d.number_format AS number_format, CAST(d.size_B * m.parameters_active AS DOUBLE PRECISION) AS weights_B,
       CAST(2.0 * m.layers * m.kv_heads * (m.hidden_size / m.heads) * d.size_B AS DOUBLE PRECISION) AS cache_per_token_B,
       CAST(d.size_B * m.parameters AS DOUBLE PRECISION) AS all_weights_B
  FROM model m
 CROSS JOIN v_number_format d;

-- Collectives: each wire carries scale x (n - less) / n times the message, n ranks.
CREATE VIEW v_collective (collective, scale, less) AS
SELECT CAST(c.column1 AS TEXT) AS collective, CAST(c.column2 AS DOUBLE PRECISION) AS scale, CAST(c.column3 AS INTEGER) AS less
  FROM (VALUES ('all_reduce', 2.0, 1), ('all_gather', 1.0, 1), ('reduce_scatter', 1.0, 1), ('all_to_all', 1.0, 1), ('broadcast', 1.0, 0),
       ('reduce', 1.0, 0), ('point_to_point', 1.0, 0)) c;

-- How exactly a document says a number, and what that allows: from low to high times the number (bounded 0: or more), and
-- where the last digit counts, half of it beyond. The words decide, not whoever copies the number.
CREATE VIEW v_claim_word (words, low, high, bounded, digit, meaning) AS
SELECT CAST(c.column1 AS TEXT) AS words, CAST(c.column2 AS DOUBLE PRECISION) AS low, CAST(c.column3 AS DOUBLE PRECISION) AS high,
       CAST(c.column4 AS INTEGER) AS bounded, CAST(c.column5 AS INTEGER) AS digit, CAST(c.column6 AS TEXT) AS meaning
  FROM (VALUES ('', 1.0, 1.0, 1, 1, 'a number as printed: half of its last digit either way'),
       ('from to', 1.0, 1.0, 1, 1, '2-3x, 1.8x to 2x: from the lower end to the upper, half of the last digit beyond'),
       ('about', 0.9, 1.1, 1, 0, 'about, around, approximately, some, ~: a tenth either way'),
       ('nearly', 0.9, 1.0, 1, 0, 'nearly, almost, near-, practically: up to a tenth below'),
       ('like', 0.8, 1.25, 1, 0, '~=, comparable, similar, matches, on par: less than a quarter apart, either of the two'),
       ('over', 1.0, 1.0, 0, 0, 'over, more than, greater than, at least, outperforms: it or more'),
       ('up to', 0.0, 1.0, 1, 0, 'up to, at most, within, a maximum of: it or less'),
       ('place', 1.0, 1.0, 1, 0, 'best, second, highest: a place, which is exact'),
       ('trend', 1.0, 1.0, 1, 0, 'increases, declines: the steps that go the other way, of which there is none')) c;

-- Half of the last digit of a number as it is printed with a point.
CREATE VIEW v_decimals (pattern, decimals, half) AS
SELECT CAST(c.column1 AS TEXT) AS pattern, CAST(c.column2 AS INTEGER) AS decimals, CAST(c.column3 AS DOUBLE PRECISION) AS half
  FROM (VALUES ('%.______', 6, 0.0000005), ('%._____', 5, 0.000005), ('%.____', 4, 0.00005), ('%.___', 3, 0.0005), ('%.__', 2, 0.005),
       ('%._', 1, 0.05)) c;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_number_format', 1, 'number_format', '', 'as specifications spell it'),
('v_number_format', 2, 'size_B', 'B', 'bytes of one number'),
('v_claim_word', 1, 'words', '', 'how it is said: column words of a claim'),
('v_claim_word', 2, 'low', '', 'from so many times the number'),
('v_claim_word', 3, 'high', '', 'to so many times it'),
('v_claim_word', 4, 'bounded', '', '0: or more'),
('v_claim_word', 5, 'digit', '', '1: half of the last digit that was printed beyond either end'),
('v_claim_word', 6, 'meaning', '', 'the words, and how they are read'),
('v_decimals', 1, 'pattern', '', 'of a printed number, for LIKE'),
('v_decimals', 2, 'decimals', '', 'digits behind its point'),
('v_decimals', 3, 'half', '', 'half of the last of them'),
('v_model_bytes', 1, 'model', '', 'canonical model'),
('v_model_bytes', 2, 'number_format', '', 'as specifications spell it'),
('v_model_bytes', 3, 'weights_B', 'B', 'bytes of the weights that are used for a token'),
('v_model_bytes', 4, 'cache_per_token_B', 'B', 'bytes of the key-value cache of one token of one sequence'),
('v_model_bytes', 5, 'all_weights_B', 'B', 'bytes of all weights, which memory must hold'),
('v_collective', 1, 'collective', '', 'workload, with _ for -'),
('v_collective', 2, 'scale', '1', 'busbw@1: algorithm bandwidth x scale x (n - less) / n, n ranks'),
('v_collective', 3, 'less', '', 'see scale');
