// Records with the fields of the interface text and no others, and what they are decoded to.

export const compute = {
  id: 'ep-cool-1',
  host: 'ep-cool-1.eu.example.test',
  project_id: 'quiet-1',
  branch_id: 'br-main-1',
  region_id: 'aws-eu-central-1',
  type: 'read_write',
  current_state: 'idle',
  autoscaling_limit_min_cu: 0.25,
  autoscaling_limit_max_cu: 0.25,
  settings: { pg_settings: {} },
  pooler_enabled: false,
  pooler_mode: 'transaction',
  disabled: false,
  passwordless_access: true,
  created_at: '2026-01-05T10:00:00Z',
  updated_at: '2026-01-05T10:00:01Z',
  proxy_host: 'eu.example.test',
}

export const computeModel = {
  endpointId: 'ep-cool-1',
  projectId: 'quiet-1',
  branchId: 'br-main-1',
  name: undefined,
  regionId: 'aws-eu-central-1',
  host: 'ep-cool-1.eu.example.test',
  type: 'read_write',
  state: 'idle',
  pendingState: undefined,
  sizing: { fixed: 0.25 },
  autosuspendDelay: undefined,
  isDelayListed: false,
  poolerEnabled: false,
  disabled: false,
  lastActive: undefined,
  startedAt: undefined,
  suspendedAt: undefined,
  createdAt: Date.parse('2026-01-05T10:00:00Z'),
  updatedAt: Date.parse('2026-01-05T10:00:01Z'),
}

export const project = {
  id: 'quiet-1',
  name: 'shop',
  cpu_used_sec: 12,
  platform_id: 'aws',
  region_id: 'aws-eu-central-1',
  provisioner: 'k8s-neonvm',
  pg_version: 17,
  locked: false,
  created_at: '2026-01-05T10:00:00Z',
  updated_at: '2026-01-05T10:00:01Z',
  proxy_host: 'eu.example.test',
  branch_logical_size_limit: 204800,
}

export const projectModel = {
  projectId: 'quiet-1',
  name: 'shop',
  regionId: 'aws-eu-central-1',
  platformId: 'aws',
  pgVersion: 17,
  cpuUsedSeconds: 12,
  activeSeconds: undefined,
  updatedAt: Date.parse('2026-01-05T10:00:01Z'),
  computeLastActiveAt: undefined,
  defaultAutosuspendDelay: undefined,
}

export const operation = {
  id: '11111111-2222-4333-8444-555555555555',
  project_id: 'quiet-1',
  branch_id: 'br-main-1',
  endpoint_id: 'ep-cool-1',
  action: 'start_compute',
  status: 'running',
  failures_count: 0,
  created_at: '2026-01-05T10:00:00Z',
  updated_at: '2026-01-05T10:00:01Z',
}

export const operationModel = {
  operationId: '11111111-2222-4333-8444-555555555555',
  projectId: 'quiet-1',
  endpointId: 'ep-cool-1',
  branchId: 'br-main-1',
  action: 'start_compute',
  status: 'running',
  failuresCount: 0,
  createdAt: Date.parse('2026-01-05T10:00:00Z'),
  updatedAt: Date.parse('2026-01-05T10:00:01Z'),
}
