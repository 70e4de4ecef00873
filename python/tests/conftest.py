"""Options of the tests: --long runs the long ones too."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run the long tests too")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes long; run with --long")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--long"):
        return
    for item in items:
        if "long" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="a long test"))
