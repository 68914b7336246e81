"""An application that uses its database before gunicorn forks: its workers open their own."""

import flask_app

flask_app.database()
app = flask_app.app
