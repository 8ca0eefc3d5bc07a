{{- define "albc.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name }}{{ end -}}
{{- end }}

{{- define "albc.selector" -}}
app.kubernetes.io/name: {{ include "albc.name" . }}
{{- end }}

{{- define "albc.labels" -}}
{{ include "albc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "albc.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "albc.name" .) }}
{{- end }}

{{- define "albc.image" -}}
{{ .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Options of albc: those of the values over those that follow from the rest. */}}
{{- define "albc.options" -}}
{{- $options := dict
  "healthAddress" "0.0.0.0:10254"
  "ingressClass" .Values.ingressClass.name
  "ingressController" .Values.ingressClass.controller
  "controllerName" .Values.gatewayClass.controller
}}
{{- /* albc reads the Service, so it must watch its namespace. */}}
{{- if and (not .Values.options.publishAddress) (or (not .Values.namespaces) (has .Release.Namespace .Values.namespaces)) }}
  {{- $_ := set $options "publishService" (printf "%s/%s" .Release.Namespace (include "albc.name" .)) }}
{{- end }}
{{- with .Values.namespaces }}{{ $_ := set $options "namespaces" . }}{{ end }}
{{- if .Values.secrets.allNamespaces }}{{ $_ := set $options "secretNamespaces" (list "*") }}{{ end }}
{{- toYaml (mergeOverwrite $options (deepCopy .Values.options)) }}
{{- end }}

{{- define "albc.healthPort" -}}
{{- (include "albc.options" . | fromYaml).healthAddress | regexFind "[0-9]+$" | required "options.healthAddress needs a port, which probes and metrics use" }}
{{- end }}

{{/* Ports that clients use: name, port, protocol. */}}
{{- define "albc.ports" -}}
{{- $options := include "albc.options" . | fromYaml }}
{{- $ports := list }}
{{- range $name, $port := dict "http" 80 "https" 443 }}
  {{- /* 0 switches it off; `default` would take it for nothing. */}}
  {{- $given := printf "%sPort" $name }}
  {{- with int (ternary (get $options $given) $port (hasKey $options $given)) }}{{ $ports = append $ports (dict "name" $name "port" .) }}{{ end }}
{{- end }}
{{- if not (concat $ports .Values.ports) }}{{ fail "no port is left: options.httpPort and options.httpsPort are 0, and ports is empty" }}{{ end }}
{{- toJson (concat $ports .Values.ports) }}
{{- end }}

{{/* Of every container. */}}
{{- define "albc.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
