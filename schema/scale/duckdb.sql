-- duckdb.sql - the public views in DuckDB, over the files that parquet.sql made: run in that DIR. questions/ asks them.
--
--     cd DIR && duckdb -init duckdb.sql

CREATE OR REPLACE VIEW v_result AS SELECT * FROM 'parquet/v_result.parquet';
CREATE OR REPLACE VIEW v_sample AS SELECT * FROM 'parquet/v_sample.parquet';
CREATE OR REPLACE VIEW v_run_factor AS SELECT * FROM 'parquet/v_run_factor.parquet';
CREATE OR REPLACE VIEW v_kernel AS SELECT * FROM 'parquet/v_kernel.parquet';
CREATE OR REPLACE VIEW v_mlperf AS SELECT * FROM 'parquet/v_mlperf.parquet';
CREATE OR REPLACE VIEW v_spec AS SELECT * FROM 'parquet/v_spec.parquet';
CREATE OR REPLACE VIEW v_price_offer AS SELECT * FROM 'parquet/v_price_offer.parquet';
CREATE OR REPLACE VIEW v_device AS SELECT * FROM 'parquet/v_device.parquet';
CREATE OR REPLACE VIEW v_model AS SELECT * FROM 'parquet/v_model.parquet';
CREATE OR REPLACE VIEW v_source AS SELECT * FROM 'parquet/v_source.parquet';
CREATE OR REPLACE VIEW v_column AS SELECT * FROM 'parquet/v_column.parquet';
