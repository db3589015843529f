"""The same question in FastAPI with asyncpg: one key looked up in PostgreSQL, one scan written as JSON."""

import hashlib
import json
import os

import asyncpg
import uvicorn
from fastapi import FastAPI, Header
from fastapi.responses import JSONResponse

SCAN = json.loads(os.environ["BODY"])
app = FastAPI()


@app.on_event("startup")
async def connect() -> None:
    app.state.pool = await asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=4, max_size=4)


@app.get("/api/scan")
async def scan(x_api_key: str = Header(default="")) -> JSONResponse:
    digest = hashlib.sha256(x_api_key.encode()).hexdigest()
    key = await app.state.pool.fetchrow(
        "select id, plan_tier, symbols_allowed, tfs_allowed from api_keys "
        "where key_hash = $1 and revoked_at is null",
        digest,
    )
    if key is None:
        return JSONResponse({"error": "unauthorized"}, status_code=401)
    return JSONResponse(SCAN)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="critical", access_log=False)
