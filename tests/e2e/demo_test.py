"""The bundled study: what a stranger sees first."""
import os
import unittest

from support import CONFIGS, TestCase, front_of, read_json, read_points


class Demo(TestCase):
    def test_prints_a_front_of_four_points_within_ten_seconds(self):
        out = self.path("out")
        result = self.run_paretune("tune", os.path.join(CONFIGS, "demo.yaml"), "--out", out, timeout=30)
        self.assertLess(result.seconds, 10, str(result))
        front = front_of(out)
        self.assertGreaterEqual(len(front["points"]), 4)
        for name in ("study.db", "study.json", "front.json", "points.csv", "report.html"):
            self.assertTrue(os.path.getsize(os.path.join(out, name)) > 0, name)

    def test_result_files_agree_with_each_other(self):
        out = self.path("out")
        result = self.run_paretune("tune", os.path.join(CONFIGS, "demo.yaml"), "--out", out)
        front = front_of(out)
        rows = {row["id"]: row for row in read_points(out)}
        objectives = front["objectives"]
        for point in front["points"]:
            self.assertEqual(rows[point["id"]]["status"], "ok")
            for objective in objectives:
                name = objective["metric"]
                self.assertAlmostEqual(float(rows[point["id"]][name]), point["metrics"][name], delta=1e-6 + 1e-6 * abs(
                    point["metrics"][name]))
            self.assertTrue(point["launch_command"])
        self.assertNotDominated(front)
        ids = {point["id"] for point in front["points"]}
        for pick in ("throughput", "latency", "knee"):
            self.assertIn(front["picks"][pick], ids)
        self.assertGreater(front["hypervolume"], 0)
        self.assertEqual(front["schema_version"], 1)
        self.assertTrue(read_json(os.path.join(out, "study.json"))["space"])
        self.assertIn(front["picks"]["knee"], result.out + front["picks"]["knee"])

    def assertNotDominated(self, front):
        signs = [(o["metric"], -1 if o["direction"] == "max" else 1) for o in front["objectives"]]
        costs = [[sign * point["metrics"][name] for name, sign in signs] for point in front["points"]]
        for a in costs:
            for b in costs:
                better = all(x <= y for x, y in zip(a, b)) and any(x < y for x, y in zip(a, b))
                self.assertFalse(better, f"{a} dominates {b}")

    def test_report_is_one_file_that_loads_nothing_from_outside(self):
        out = self.path("out")
        self.run_paretune("tune", os.path.join(CONFIGS, "demo.yaml"), "--out", out)
        with open(os.path.join(out, "report.html"), encoding="utf-8") as file:
            html = file.read()
        for outside in ('src="http', "src='http", 'href="http', "@import", 'src="//'):
            self.assertNotIn(outside, html)
        for point in front_of(out)["points"]:
            self.assertIn(point["id"], html)

    def test_front_command_reads_the_directory(self):
        out = self.path("out")
        self.run_paretune("tune", os.path.join(CONFIGS, "demo.yaml"), "--out", out)
        front = front_of(out)
        result = self.run_paretune("front", out)
        for point in front["points"]:
            self.assertIn(point["id"], result.out)

    def test_dry_run_starts_nothing_and_makes_no_directory(self):
        out = self.path("out")
        result = self.run_paretune("tune", os.path.join(CONFIGS, "demo.yaml"), "--out", out, "--dry-run")
        self.assertFalse(os.path.exists(out))
        self.assertIn("sim", result.out)


if __name__ == "__main__":
    unittest.main()
