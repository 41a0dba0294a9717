"""Sends queries about a dataset to a query engine: ask.py duckdb|spark DIR < QUERIES.json

The queries are a list of texts. The answer is a list of lists of rows, as JSON; a row is a text,
its values with | between.
"""
import json
import os
import sys

engine, folder = sys.argv[1:]
queries = json.load(sys.stdin)
tables = [t["name"] for t in json.load(open(os.path.join(folder, "census.json")))["tables"]]
files = {t: os.path.join(folder, t, "*.parquet") for t in tables}

if engine == "duckdb":
    import duckdb

    db = duckdb.connect()
    for table, glob in files.items():
        db.execute(f"CREATE VIEW {table} AS FROM '{glob}'")
    ask = lambda q: db.execute(q).fetchall()
else:
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    )
    for table, glob in files.items():
        spark.read.parquet(os.path.dirname(glob)).createOrReplaceTempView(table)
    ask = lambda q: spark.sql(q).collect()

text = lambda v: "NULL" if v is None else str(v)
json.dump([["|".join(map(text, row)) for row in ask(q)] for q in queries], sys.stdout)
