"""Django with a file of Cormorant's beside Django's own database: the view uses it, no setting knows of it."""

from __future__ import annotations

from functools import cache

import django
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.test import Client
from django.urls import path

from cormorant import Column, Database, Model, key


class Reading(Model):
    id: Column[int] = key()
    celsius: Column[float]


@cache
def database() -> Database:
    """Opened in the worker, when the first request comes."""
    return Database("readings.db", auto_sync=True)


def readings(request: HttpRequest) -> JsonResponse:
    if request.method == "POST":
        Reading(float(request.POST["celsius"])).insert(database())
    rows = database().fetch_all(Reading, order_by="-id", limit=10)
    return JsonResponse({"readings": [row.celsius for row in rows]})


urlpatterns = [path("readings/", readings)]

if __name__ == "__main__":
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["testserver"])
    django.setup()
    client = Client()
    client.post("/readings/", {"celsius": "20.5"})
    print(client.post("/readings/", {"celsius": "21.0"}).json())
    database().close()
