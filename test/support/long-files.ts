/**
 * Test files that run with `CI=true` only → their short form, which always runs. They kill processes, crowd the proxy, send thousands of
 * random bodies, or start a browser, Prometheus or a daemon per test. Files with tests that are only shortened or skipped one by one use
 * `tiers.ts`.
 */
export const LONG_FILES: Readonly<Record<string, string>> = {
  'test/bench/fleet/large.test.ts': 'test/bench/fleet/fleet.test.ts',
  'test/bench/fleet/poller.test.ts': 'test/bench/fleet/fleet.test.ts',
  'test/calendar/all-zones-windows.test.ts': 'test/calendar/window.test.ts',
  'test/dashboards/boards/queries.test.ts': 'test/dashboards/boards/boards.test.ts',
  'test/end-to-end/alerts.test.ts': 'test/dashboards/rules/rules.test.ts',
  'test/end-to-end/changes.test.ts': 'test/end-to-end/change-stop.test.ts',
  'test/end-to-end/compose.test.ts': 'test/deploy/compose.test.ts',
  'test/end-to-end/crash.test.ts': 'test/store/durability.test.ts',
  'test/end-to-end/failed-change.test.ts': 'test/dashboards/rules/rules.test.ts',
  'test/end-to-end/interrupt.test.ts': 'test/end-to-end/demo.test.ts',
  'test/end-to-end/ladder.test.ts': 'test/daemon/changes/awake-use.test.ts',
  'test/end-to-end/page.test.ts': 'test/outputs/page/pages.test.ts',
  'test/end-to-end/policies.test.ts': 'test/decide/policy-hold.test.ts',
  'test/end-to-end/pod.test.ts': 'test/deploy/kubernetes.test.ts',
  'test/end-to-end/receivers.test.ts': 'test/daemon/notify/dispatcher.test.ts',
  'test/end-to-end/reload.test.ts': 'test/daemon/reload.test.ts',
  'test/end-to-end/revert.test.ts': 'test/daemon/changes/judged.test.ts',
  'test/end-to-end/telling.test.ts': 'test/daemon/notify/notifications.test.ts',
  'test/local/api/random-bodies.test.ts': 'test/local/api/bad-input.test.ts',
  'test/local/autoscale-service.test.ts': 'test/local/autoscale.test.ts',
  'test/local/crash.test.ts': 'test/local/lifecycle.test.ts',
  'test/local/history/folder.test.ts': 'test/local/history/service.test.ts',
  'test/local/pooler/pooler.test.ts': 'test/local/conformance/pooling.test.ts',
  'test/local/proxy/hostile.test.ts': 'test/local/proxy/startup.test.ts',
  'test/local/replica-crash.test.ts': 'test/local/replica-rules.test.ts',
  'test/local/replica.test.ts': 'test/local/replica-rules.test.ts',
  'test/local/stops.test.ts': 'test/local/lifecycle.test.ts',
  'test/local/simulated.test.ts': 'test/local/control/simulation/simulation.test.ts',
  'test/outputs/metrics/prometheus.test.ts': 'test/outputs/metrics/render.test.ts',
  'test/outputs/page/browser.test.ts': 'test/outputs/page/pages.test.ts',
  'test/simulation/hostile.test.ts': 'test/simulation/skew.test.ts',
}
