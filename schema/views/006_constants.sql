-- 006_constants.sql - small tables of constants that the formulas look up.

-- Number formats: how kernels and specifications spell them, and the bytes of one number.
CREATE VIEW v_number_format (dtype, number_format, size_B) AS
VALUES ('f64', 'fp64', 8.0), ('fp64', 'fp64', 8.0), ('f32', 'fp32', 4.0), ('fp32', 'fp32', 4.0), ('tf32', 'tf32', 4.0),
       ('bf16', 'bf16', 2.0), ('f16', 'fp16', 2.0), ('fp16', 'fp16', 2.0), ('f8', 'fp8', 1.0), ('fp8', 'fp8', 1.0),
       ('i8', 'int8', 1.0), ('int8', 'int8', 1.0), ('f4', 'fp4', 0.5), ('fp4', 'fp4', 0.5), ('i4', 'int4', 0.5), ('int4', 'int4', 0.5);

-- Collectives: each wire carries scale x (n - less) / n times the message, n ranks.
CREATE VIEW v_collective (collective, scale, less) AS
VALUES ('all_reduce', 2.0, 1), ('all_gather', 1.0, 1), ('reduce_scatter', 1.0, 1), ('all_to_all', 1.0, 1), ('broadcast', 1.0, 0),
       ('reduce', 1.0, 0);

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_number_format', 1, 'dtype', '', 'as a result spells it'),
('v_number_format', 2, 'number_format', '', 'as specifications spell it'),
('v_number_format', 3, 'size_B', 'B', 'bytes of one number'),
('v_collective', 1, 'collective', '', 'workload, with _ for -'),
('v_collective', 2, 'scale', '1', 'busbw@1: algorithm bandwidth x scale x (n - less) / n, n ranks'),
('v_collective', 3, 'less', '', 'see scale');
