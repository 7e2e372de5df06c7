import sys
import unittest

from greeting import greet


class GreetingTest(unittest.TestCase):
    def test_names_whom_it_is_for(self):
        self.assertEqual(greet("world"), "hello, world")

    def test_runs_in_the_environment_of_the_project(self):
        self.assertNotEqual(sys.prefix, sys.base_prefix)
