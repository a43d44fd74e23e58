-- 040_published.sql - specifications and prices, and which of them count.

-- One stated specification. Preferred: the source of lowest rank, then the latest date, then the key.
CREATE VIEW v_spec AS
SELECT s.device AS device, s.quantity AS quantity, s.dtype AS dtype, s.engine AS engine, s.sparsity AS sparsity, s.basis AS basis,
       s.power_limit AS power_limit, s.value AS value, s.unit AS unit, CASE WHEN s.place = 1 THEN 1 ELSE 0 END AS preferred,
       s.source AS source, s.locator AS locator, s.date AS date, s.raw_value AS raw_value, s.raw_unit AS raw_unit, s.note AS note,
       s.spec_id AS spec_id, s.key AS key, s.spec_key AS spec_key, s.raw_device AS raw_device
  FROM (SELECT coalesce(n.canon, t.device) AS device, t.quantity AS quantity, t.dtype AS dtype, t.engine AS engine,
               t.sparsity AS sparsity, t.basis AS basis, t.power_limit AS power_limit, t.value AS value, t.unit AS unit,
               t.source AS source, t.locator AS locator, coalesce(t.date, src.published) AS date, t.raw_value AS raw_value,
               t.raw_unit AS raw_unit, t.note AS note, t.spec_id AS spec_id, t.key AS key, t.spec_key AS spec_key,
               t.device AS raw_device,
               row_number() OVER (PARTITION BY coalesce(n.canon, t.device), t.quantity, t.basis, coalesce(t.dtype, ''),
                                               coalesce(t.engine, ''), coalesce(t.sparsity, ''), coalesce(t.power_limit, 0)
                                  ORDER BY coalesce(src.rank, 50), coalesce(t.date, src.published, '') DESC, t.key) AS place
          FROM spec_stated t
          LEFT JOIN name n ON n.kind = 'device' AND n.spelling = t.device AND n.part = 1
          LEFT JOIN source src ON src.source = t.source) s;

-- One stated ceiling of a device, dense, per card; `preference` orders those of one quantity, smallest first.
CREATE VIEW v_peak AS
SELECT n.device AS device, s.quantity AS quantity, s.dtype AS dtype, s.value AS value, s.unit AS unit, s.source AS source,
       s.spec_id AS spec_id, s.key AS key,
       CASE WHEN s.engine = 'matrix' THEN '0 ' ELSE '1 ' END || CASE WHEN s.power_limit IS NULL THEN '0 ' ELSE '1 ' END ||
         substr('000' || coalesce(q.rank, 50), length('' || coalesce(q.rank, 50)) + 1) || ' ' ||
         (9999 - CAST(substr(coalesce(s.date, q.published, '0000'), 1, 4) AS INTEGER)) || ' ' || s.key AS preference
  FROM single_device n
  JOIN spec_stated s ON s.device = n.spelling
  LEFT JOIN source q ON q.source = s.source
 WHERE s.basis = 'card' AND coalesce(s.sparsity, 'dense') = 'dense'
   AND s.quantity IN ('peak_flops', 'peak_ops', 'memory_bandwidth');

-- One stated price; the price of one device for an hour is derived, all else as published.
CREATE VIEW v_price AS
SELECT p.provider AS provider, p.instance AS instance,
       coalesce((SELECT n.canon FROM name n WHERE n.kind = 'device' AND n.spelling = p.device AND n.part = 1),
                p.device) AS device,
       p.devices AS devices, p.kind AS kind, p.region AS region, p.currency AS currency, p.amount AS amount, p.per AS per,
       CASE WHEN p.per = 'hour' THEN p.amount / p.devices END AS per_device_hour,
       p.valid_from AS valid_from,
       CASE WHEN length(p.valid_from) >= 10 THEN substr(p.valid_from, 1, 10) ELSE substr(p.valid_from || '-01-01', 1, 10) END AS first_day,
       CASE WHEN length(p.valid_from) = 21 THEN substr(p.valid_from, 12) ELSE p.valid_from END AS last_day, p.source AS source, p.locator AS locator,
       p.raw_value AS raw_value, p.price_id AS price_id, p.key AS key, p.price_key AS price_key, p.device AS raw_device,
       coalesce((SELECT d.half FROM v_decimals d WHERE p.raw_value LIKE d.pattern),
                CASE WHEN p.raw_value LIKE '%.%' THEN 0.0 ELSE 0.5 END) / p.devices AS half
  FROM price_stated p;

-- One price that counts: where an offer is stated per device and for all devices together, the former.
CREATE VIEW v_price_used AS
SELECT p.* FROM v_price p
 WHERE NOT (p.devices > 1 AND EXISTS (
       SELECT 1 FROM price_stated o
        WHERE o.device = p.raw_device AND o.source = p.source AND o.provider = p.provider
          AND coalesce(o.instance, '') = coalesce(p.instance, '') AND o.kind = p.kind AND coalesce(o.region, '') = coalesce(p.region, '')
          AND o.per = p.per AND o.currency = p.currency AND coalesce(o.valid_from, '') = coalesce(p.valid_from, '') AND o.devices = 1));

-- One price that a rate can be divided by, and until when it counts: until the same provider states a later one of the
-- same kind. Today's: valid_to IS NULL; of day D: last_day <= D AND (valid_to IS NULL OR valid_to > D). A price whose day is
-- a range counts from its last day on, is as old as its first, and is later than what is before its first. No exchange
-- rates are kept, so it is in US dollars. Of those that count at one time, those of one kind meet, and the lowest is taken.
CREATE VIEW v_price_offer AS
SELECT n.device AS device, p.per_device_hour AS per_device_hour, p.provider AS provider, p.kind AS kind, p.valid_from AS valid_from,
       (SELECT min(o.last_day) FROM single_device m JOIN v_price_used o ON o.raw_device = m.spelling
         WHERE m.device = n.device AND o.provider = p.provider AND o.kind = p.kind
           AND o.per = 'hour' AND o.currency = 'USD' AND o.valid_from > coalesce(p.last_day, '')) AS valid_to,
       p.instance AS instance, p.region AS region, p.devices AS devices, p.source AS source, p.locator AS locator,
       p.price_id AS price_id, p.key AS key, p.first_day AS first_day, p.last_day AS last_day
  FROM single_device n
  JOIN v_price_used p ON p.raw_device = n.spelling
 WHERE p.per = 'hour' AND p.currency = 'USD' AND p.per_device_hour > 0;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_spec', 1, 'device', '', 'canonical device'),
('v_spec', 2, 'quantity', '', 'peak_flops peak_ops memory_size memory_bandwidth link_bandwidth power'),
('v_spec', 3, 'dtype', '', 'number format of a peak'),
('v_spec', 4, 'engine', '', 'matrix or vector'),
('v_spec', 5, 'sparsity', '', 'dense or 2:4'),
('v_spec', 6, 'basis', '', 'die, package, card, system'),
('v_spec', 7, 'power_limit', 'W', 'where the figure holds for one'),
('v_spec', 8, 'value', 'unit', 'in the base unit'),
('v_spec', 9, 'unit', '', 'base unit'),
('v_spec', 10, 'preferred', '', '1: lowest rank of source, then latest date'),
('v_spec', 11, 'source', '', 'who says it'),
('v_spec', 12, 'locator', '', 'table, figure or section'),
('v_spec', 13, 'date', '', 'of the statement'),
('v_spec', 14, 'raw_value', '', 'as published'),
('v_spec', 15, 'raw_unit', '', 'as published'),
('v_spec', 16, 'note', '', 'what the source adds'),
('v_spec', 17, 'spec_id', '', 'number of the specification in this file: to join by; another database has other numbers'),
('v_spec', 18, 'key', '', 'printed key made from the content, the same in every database: to cite'),
('v_spec', 19, 'spec_key', '', 'first 16 hexadecimal digits of the printed key as a number'),
('v_spec', 20, 'raw_device', '', 'device as published'),
('v_peak', 1, 'device', '', 'canonical device'),
('v_peak', 2, 'quantity', '', 'peak_flops, peak_ops or memory_bandwidth'),
('v_peak', 3, 'dtype', '', 'number format of a peak'),
('v_peak', 4, 'value', 'unit', 'dense, per card'),
('v_peak', 5, 'unit', '', 'base unit'),
('v_peak', 6, 'source', '', 'who says it'),
('v_peak', 7, 'spec_id', '', 'number of the specification in this file (v_spec)'),
('v_peak', 8, 'key', '', 'its printed key'),
('v_peak', 9, 'preference', '', 'smallest first: matrix engine, no power limit, rank of the source, newest'),
('v_price', 1, 'provider', '', 'who asks it'),
('v_price', 2, 'instance', '', 'name of the offer'),
('v_price', 3, 'device', '', 'canonical device'),
('v_price', 4, 'devices', '', 'devices that the amount buys; 1: published per device'),
('v_price', 5, 'kind', '', 'on-demand, reserved, spot, purchase'),
('v_price', 6, 'region', '', 'where it is offered'),
('v_price', 7, 'currency', '', 'ISO 4217'),
('v_price', 8, 'amount', 'currency', 'for all devices together'),
('v_price', 9, 'per', '', 'hour or unit'),
('v_price', 10, 'per_device_hour', 'currency', 'derived: amount / devices, for prices per hour'),
('v_price', 11, 'valid_from', '', 'date of the price; FIRST/LAST where only two days are known between which it was stated'),
('v_price', 12, 'first_day', '', 'the earliest that valid_from may mean: its age is counted from there'),
('v_price', 13, 'last_day', '', 'the latest that valid_from may mean, as precise as it is'),
('v_price', 14, 'source', '', 'who says it'),
('v_price', 15, 'locator', '', 'table, figure or section'),
('v_price', 16, 'raw_value', '', 'as published'),
('v_price', 17, 'price_id', '', 'number of the price in this file: to join by; another database has other numbers'),
('v_price', 18, 'key', '', 'printed key made from the content, the same in every database: to cite'),
('v_price', 19, 'price_key', '', 'first 16 hexadecimal digits of the printed key as a number: an index leads to it'),
('v_price', 20, 'raw_device', '', 'device as published; an index leads to it'),
('v_price', 21, 'half', 'currency', 'half of the last digit that was printed, of one device'),
('v_price_offer', 1, 'device', '', 'canonical device'),
('v_price_offer', 2, 'per_device_hour', 'USD', 'for one device and hour'),
('v_price_offer', 3, 'provider', '', 'who asks it'),
('v_price_offer', 4, 'kind', '', 'on-demand, reserved, spot'),
('v_price_offer', 5, 'valid_from', '', 'date of the price'),
('v_price_offer', 6, 'valid_to', '', 'date of the next price of the same provider and kind; NULL: this is the latest'),
('v_price_offer', 7, 'instance', '', 'name of the offer'),
('v_price_offer', 8, 'region', '', 'where it is offered'),
('v_price_offer', 9, 'devices', '', 'devices that the stated amount buys'),
('v_price_offer', 10, 'source', '', 'who says it'),
('v_price_offer', 11, 'locator', '', 'table, figure or section'),
('v_price_offer', 12, 'price_id', '', 'number of the price in this file (v_price)'),
('v_price_offer', 13, 'key', '', 'its printed key'),
('v_price_offer', 14, 'first_day', '', 'the earliest that valid_from may mean: its age is counted from there'),
('v_price_offer', 15, 'last_day', '', 'the latest that valid_from may mean');
INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_price_used', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_price';
