// Stat, bar, state, heatmap and alert panels.
import {
  defaultsOf,
  headOf,
  INTERVAL,
  RATE_INTERVAL,
  targetsOf,
  type Mapping,
  type Panel,
  type PanelSpec,
} from './panel.ts'

export const statPanel = (spec: PanelSpec): Panel => ({
  width: spec.width,
  json: {
    type: 'stat',
    ...headOf(spec),
    fieldConfig: { defaults: defaultsOf(spec, { color: { mode: 'thresholds' } }), overrides: [] },
    options: {
      colorMode: 'value',
      graphMode: 'none',
      justifyMode: 'auto',
      orientation: 'auto',
      percentChangeColorMode: 'standard',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      showPercentChange: false,
      textMode: 'auto',
      wideLayout: true,
    },
    targets: targetsOf(spec, { instant: true }),
  },
})

/** A bar per series, in the order of the query. */
export const barPanel = (spec: PanelSpec): Panel => ({
  width: spec.width,
  json: {
    type: 'bargauge',
    ...headOf(spec),
    fieldConfig: {
      defaults: defaultsOf(spec, {
        color: { mode: spec.bad || spec.good ? 'thresholds' : 'palette-classic' },
      }),
      overrides: [],
    },
    options: {
      displayMode: 'basic',
      legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: false },
      maxVizHeight: 30,
      minVizHeight: 16,
      minVizWidth: 8,
      namePlacement: 'auto',
      orientation: 'horizontal',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      showUnfilled: true,
      sizing: 'auto',
      valueMode: 'color',
    },
    targets: targetsOf(spec, { instant: true }),
  },
})

/** A band per series, whose values are the keys of `mapping`. */
export const statePanel = (spec: PanelSpec & { readonly mapping: Mapping }): Panel => ({
  width: spec.width,
  json: {
    type: 'state-timeline',
    ...headOf(spec),
    fieldConfig: {
      defaults: defaultsOf(spec, {
        // colouring by thresholds would merge values between two of them and lose the texts of the mapping
        color: { mode: 'fixed', fixedColor: 'text' },
        custom: {
          fillOpacity: 70,
          hideFrom: { legend: false, tooltip: false, viz: false },
          lineWidth: 0,
        },
        mappings: [{ type: 'value', options: spec.mapping }],
      }),
      overrides: [],
    },
    options: {
      alignValue: 'left',
      legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: true },
      mergeValues: true,
      perPage: 20,
      rowHeight: 0.8,
      showValue: 'never',
      tooltip: { hideZeros: false, mode: 'single', sort: 'none' },
    },
    interval: INTERVAL,
    targets: targetsOf(spec),
  },
})

/** Distribution over time of a histogram; the query returns its buckets by `le`. */
export const heatmapPanel = (spec: PanelSpec): Panel => ({
  width: spec.width,
  json: {
    type: 'heatmap',
    ...headOf(spec),
    fieldConfig: {
      defaults: {
        unit: spec.unit,
        custom: {
          hideFrom: { legend: false, tooltip: false, viz: false },
          scaleDistribution: { type: 'linear' },
        },
      },
      overrides: [],
    },
    options: {
      calculate: false,
      cellGap: 1,
      cellValues: { unit: 'ops' },
      color: {
        exponent: 0.5,
        fill: 'dark-orange',
        mode: 'scheme',
        reverse: false,
        scale: 'exponential',
        scheme: 'Oranges',
        steps: 64,
      },
      exemplars: { color: 'rgba(255,0,255,0.7)' },
      filterValues: { le: 1e-9 },
      legend: { show: true },
      rowsFrame: { layout: 'auto' },
      tooltip: { mode: 'single', showColorScale: false, yHistogram: false },
      yAxis: { axisPlacement: 'left', reverse: false, unit: spec.unit },
    },
    interval: RATE_INTERVAL,
    targets: targetsOf(spec, { format: 'heatmap' }),
  },
})

/** Firing alerts of the rules that Grafana can see. */
export const alertPanel = (title: string, description: string, width: number): Panel => ({
  width,
  json: {
    type: 'alertlist',
    title,
    description,
    fieldConfig: { defaults: {}, overrides: [] },
    options: {
      alertInstanceLabelFilter: '{alertname=~"Dormouse.+"}',
      alertName: '',
      dashboardAlerts: false,
      groupBy: [],
      groupMode: 'default',
      maxItems: 20,
      showInactiveAlerts: false,
      sortOrder: 3,
      stateFilter: {
        error: true,
        firing: true,
        noData: false,
        normal: false,
        pending: true,
        recovering: true,
      },
      viewMode: 'list',
    },
    targets: [],
  },
})
