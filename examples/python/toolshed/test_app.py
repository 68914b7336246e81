"""The service, asked as its clients ask it."""

import pytest
from fastapi.testclient import TestClient

from app import app


@pytest.fixture
def client(cormorant_db, monkeypatch):
    monkeypatch.setenv("SHED", str(cormorant_db.path))
    with TestClient(app) as client:
        yield client


def test_a_tool_goes_out_and_comes_back(client):
    assert [tool["name"] for tool in client.get("/tools/free").json()] == ["drill"]
    assert client.post("/tools/3/loans?member_id=2").status_code == 201
    assert client.post("/tools/3/loans?member_id=1").json() == {"detail": "tool 3 is out"}
    assert client.get("/tools/free").json() == []
    assert client.post("/tools/3/return").json()["member_id"] == 2
