-- spark.sql - the public views in Spark, over the files that parquet.sql made: run in that DIR, or on any path that workers see
-- in the place of parquet/. questions/ asks them. SQLite orders texts as bytes and divides by zero to NULL, so does Spark with ANSI off.
--
--     cd DIR && spark-sql -i spark.sql

SET spark.sql.ansi.enabled = false;
SET spark.sql.sources.partitionColumnTypeInference.enabled = false; -- a month is a text
CREATE OR REPLACE TEMPORARY VIEW v_result USING parquet OPTIONS (path 'parquet/v_result.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_sample USING parquet OPTIONS (path 'parquet/v_sample.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_run_factor USING parquet OPTIONS (path 'parquet/v_run_factor.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_kernel USING parquet OPTIONS (path 'parquet/v_kernel.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_mlperf USING parquet OPTIONS (path 'parquet/v_mlperf.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_spec USING parquet OPTIONS (path 'parquet/v_spec.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_price_offer USING parquet OPTIONS (path 'parquet/v_price_offer.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_device USING parquet OPTIONS (path 'parquet/v_device.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_model USING parquet OPTIONS (path 'parquet/v_model.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_source USING parquet OPTIONS (path 'parquet/v_source.parquet');
CREATE OR REPLACE TEMPORARY VIEW v_column USING parquet OPTIONS (path 'parquet/v_column.parquet');

-- The folders of CSV themselves, where nothing made Parquet of them: every column is text until it is cast. Spark takes what stands for
-- NULL for NULL in quotes, too, so that it is a character here that no text holds.
CREATE OR REPLACE TEMPORARY VIEW columns_csv USING csv
OPTIONS (path 'v_result', header 'true', multiLine 'true', escape '"', nullValue '\u0000', emptyValue '');
