-- 006_constants.sql - small tables that the formulas look up.

-- Number formats as specifications spell them, and the bytes of one number.
CREATE VIEW v_number_format (number_format, size_B) AS
VALUES ('fp64', 8.0), ('fp32', 4.0), ('tf32', 4.0), ('bf16', 2.0), ('fp16', 2.0), ('fp8', 1.0), ('int8', 1.0), ('fp4', 0.5),
       ('int4', 0.5);

-- What decoding reads in a step, by number format: the weights that a token uses, and for every sequence and token before it
-- keys and values.
CREATE VIEW v_model_bytes AS
SELECT m.model AS model, d.number_format AS number_format, d.size_B * m.parameters_active AS weights_B,
       2.0 * m.layers * m.kv_heads * (m.hidden_size / m.heads) * d.size_B AS cache_per_token_B
  FROM model m
 CROSS JOIN v_number_format d;

-- Collectives: each wire carries scale x (n - less) / n times the message, n ranks.
CREATE VIEW v_collective (collective, scale, less) AS
VALUES ('all_reduce', 2.0, 1), ('all_gather', 1.0, 1), ('reduce_scatter', 1.0, 1), ('all_to_all', 1.0, 1), ('broadcast', 1.0, 0),
       ('reduce', 1.0, 0);

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_number_format', 1, 'number_format', '', 'as specifications spell it'),
('v_number_format', 2, 'size_B', 'B', 'bytes of one number'),
('v_model_bytes', 1, 'model', '', 'canonical model'),
('v_model_bytes', 2, 'number_format', '', 'as specifications spell it'),
('v_model_bytes', 3, 'weights_B', 'B', 'bytes of the weights that are used for a token'),
('v_model_bytes', 4, 'cache_per_token_B', 'B', 'bytes of the key-value cache of one token of one sequence'),
('v_collective', 1, 'collective', '', 'workload, with _ for -'),
('v_collective', 2, 'scale', '1', 'busbw@1: algorithm bandwidth x scale x (n - less) / n, n ranks'),
('v_collective', 3, 'less', '', 'see scale');
