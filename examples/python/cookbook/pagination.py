"""Pages: after the last row of the one before, by a token that a client can keep."""

from __future__ import annotations

import json

from cormorant import Column, Database, Model, column, key, select


class Post(Model):
    id: Column[int] = key()
    title: Column[str]
    likes: Column[int] = column(index=True)


NEWEST = select(Post).order_by(Post.likes.desc(), Post.id)


def page(db: Database, token: str | None = None, size: int = 2) -> tuple[list[Post], str | None]:
    """The rows of a page, and the token of the next one."""
    query = NEWEST if token is None else NEWEST.after(json.loads(token))
    posts = db.fetch_all(query.limit(size))
    if len(posts) < size:
        return posts, None
    return posts, json.dumps([posts[-1].likes, posts[-1].id])


with Database(":memory:") as db:
    db.create_tables(Post)
    db.insert_many([Post(f"post {number}", number % 3) for number in range(5)])
    token = None
    while True:
        posts, token = page(db, token)
        print([(post.title, post.likes) for post in posts], token)
        if token is None:
            break
    print(db.page_count(select(Post), page_size=2), "pages")
