"""The functions of Client, by the kind of object that they are of: ``client.videos.create``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .client import Client


class Videos:
    def __init__(self, client: Client) -> None:
        self.create = client.create_video
        self.create_and_wait = client.create_video_and_wait
        self.retrieve = client.retrieve_video
        self.list = client.list_videos
        self.cancel = client.cancel_video
        self.delete = client.delete_video
        self.wait = client.wait_for_video


class Images:
    def __init__(self, client: Client) -> None:
        self.create = client.create_image
        self.create_and_wait = client.create_image_and_wait
        self.retrieve = client.retrieve_image
        self.list = client.list_images
        self.cancel = client.cancel_image
        self.delete = client.delete_image
        self.wait = client.wait_for_image


class Files:
    def __init__(self, client: Client) -> None:
        self.create = client.create_file
        self.retrieve = client.retrieve_file
        self.delete = client.delete_file


class Models:
    def __init__(self, client: Client) -> None:
        self.list = client.list_models
        self.retrieve = client.retrieve_model


class Balance:
    def __init__(self, client: Client) -> None:
        self.retrieve = client.retrieve_balance


class Usage:
    def __init__(self, client: Client) -> None:
        self.retrieve = client.retrieve_usage


class Transactions:
    def __init__(self, client: Client) -> None:
        self.list = client.list_transactions


class Requests:
    def __init__(self, client: Client) -> None:
        self.list = client.list_requests


class Deliveries:
    def __init__(self, client: Client) -> None:
        self.list = client.list_deliveries
        self.retrieve = client.retrieve_delivery
        self.redeliver = client.redeliver
