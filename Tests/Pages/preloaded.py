"""An application that uses its database before gunicorn forks: its workers reopen it."""

import flask_app

flask_app.db.find(flask_app.Hit, "none")
app = flask_app.app
