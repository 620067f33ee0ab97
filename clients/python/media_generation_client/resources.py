"""The functions of Client, by the kind of object that they are of: ``client.videos.create``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .functions import Functions

if TYPE_CHECKING:
    from .client import Client


class Videos(Functions):
    def __init__(self, client: Client) -> None:
        self.create = client.create_video
        self.create_and_wait = client.create_video_and_wait
        self.retrieve = client.retrieve_video
        self.list = client.list_videos
        self.cancel = client.cancel_video
        self.delete = client.delete_video
        self.wait = client.wait_for_video
        self.watch = client._watch_video


class Images(Functions):
    def __init__(self, client: Client) -> None:
        self.create = client.create_image
        self.create_and_wait = client.create_image_and_wait
        self.retrieve = client.retrieve_image
        self.list = client.list_images
        self.cancel = client.cancel_image
        self.delete = client.delete_image
        self.wait = client.wait_for_image
        self.watch = client._watch_image


class Files(Functions):
    def __init__(self, client: Client) -> None:
        self.create = client.create_file
        self.list = client.list_files
        self.retrieve = client.retrieve_file
        self.delete = client.delete_file


class Models(Functions):
    def __init__(self, client: Client) -> None:
        self.list = client.list_models
        self.retrieve = client.retrieve_model


class Balance(Functions):
    def __init__(self, client: Client) -> None:
        self.retrieve = client.retrieve_balance


class Usage(Functions):
    def __init__(self, client: Client) -> None:
        self.retrieve = client.retrieve_usage


class Transactions(Functions):
    def __init__(self, client: Client) -> None:
        self.list = client.list_transactions


class Requests(Functions):
    def __init__(self, client: Client) -> None:
        self.list = client.list_requests


class Deliveries(Functions):
    def __init__(self, client: Client) -> None:
        self.list = client.list_deliveries
        self.retrieve = client.retrieve_delivery
        self.redeliver = client.redeliver
