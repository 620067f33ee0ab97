{{/* The image by its digest where one is given, which nobody can replace; else by its tag. */}}
{{- define "media.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag }}{{ end }}
{{- end }}
