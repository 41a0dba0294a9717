"""Sends queries about a dataset to a query engine: ask.py duckdb|spark VIEWS.sql... < QUERIES.json

VIEWS.sql has the statements that create the views. The queries are a list of texts. The answer is a list of lists of
rows, as JSON; a row is a text, its values with | between.
"""
import json
import sys

engine, *views = sys.argv[1:]
queries = json.load(sys.stdin)
texts = [open(name, encoding="utf-8").read() for name in views]

if engine == "duckdb":
    import duckdb

    db = duckdb.connect()
    for text in texts:
        db.execute(text)
    ask = lambda q: db.execute(q).fetchall()
else:
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    )
    for text in texts:
        for statement in text.split(";\n\n"):
            if statement.strip():
                spark.sql(statement)
    ask = lambda q: spark.sql(q).collect()

text = lambda v: "NULL" if v is None else str(v)
json.dump([["|".join(map(text, row)) for row in ask(q)] for q in queries], sys.stdout)
