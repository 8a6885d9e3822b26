"""docker-compose.yml and deploy/Dockerfile agree with their schema, with each other and with the tree."""

import subprocess
import sys
import unittest

import compose_file as compose


class Shape(unittest.TestCase):
    def test_the_file_follows_the_schema_of_compose(self):
        done = subprocess.run(["docker-compose", "-f", compose.COMPOSE, "config", "--quiet"], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_a_service_builds_is_a_stage_of_the_dockerfile(self):
        built = [service["build"] for service in compose.services().values() if "build" in service]
        self.assertTrue(built)
        for build in built:
            self.assertEqual(compose.ROOT / build["context"] / build["dockerfile"], compose.DOCKERFILE)
            self.assertIn(build["target"], compose.stages())

    def test_what_is_copied_and_mounted_exists(self):
        for name, rest in compose.instructions():
            if name == "COPY" and not rest.startswith("--from"):
                for source in rest.split()[:-1]:
                    self.assertTrue((compose.ROOT / source).exists(), rest)
        volumes = set(compose.document()["volumes"])
        for service in compose.services().values():
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                self.assertTrue(source in volumes or (compose.ROOT / source).is_file(), volume)

    def test_the_image_is_built_by_targets_of_the_makefile(self):
        self.assertEqual(set(compose.make_targets()), {"build-deps", "build", "demo", "test"})
        for target in compose.make_targets():
            done = subprocess.run(["make", "-n", target], cwd=compose.ROOT, capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_whatever_keeps_running_has_a_health_check_and_whatever_waits_names_a_service(self):
        services = compose.services()
        for name, service in services.items():
            if name not in ("topics", "producer"):
                self.assertIn("healthcheck", service, name)
            for other, how in service.get("depends_on", {}).items():
                condition = "service_healthy" if "healthcheck" in services[other] else "service_completed_successfully"
                self.assertEqual(how["condition"], condition, f"{name} on {other}")

    def test_two_workers_have_volumes_of_their_own(self):
        states = [volume for name in ("worker-1", "worker-2") for volume in compose.services()[name]["volumes"]
                  if volume.endswith(":/var/lib/penstock")]
        self.assertEqual(len(set(states)), 2)

    def test_only_loopback_is_published(self):
        for service in compose.services().values():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), port)


if __name__ == "__main__":
    sys.exit(unittest.main())
