package provider

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// gardenPlace is where the settings of the connection to the Garden are.
var gardenPlace = kube.Place{
	API: "the Garden API", Object: "kubernetes", Namespace: "namespace", NamespaceOf: "the Gardener project",
	Prefix: "KUBE_", NamespaceVariable: "HAP_NAMESPACE",
}

// kubernetesFrom reads the connection to the Garden; unknown names the attributes whose values are not known yet.
func kubernetesFrom(ctx context.Context, model providerModel) (settings kube.Settings, unknown []string, diags diag.Diagnostics) {
	var k connection
	unknown, diags = readConnection(ctx, model.Kubernetes, "kubernetes", &k)
	if !tfvalue.Known(model.Namespace) {
		unknown = append(unknown, "namespace")
	}
	slices.Sort(unknown)
	return k.settings(gardenPlace, model.Namespace.ValueStringPointer()), unknown, diags
}

// readConnection reads the object of a connection into a struct that is or embeds a connection; where a value is unknown the struct
// stays empty, and unknown names it.
func readConnection(ctx context.Context, object types.Object, name string, into any) (unknown []string, diags diag.Diagnostics) {
	if object.IsUnknown() {
		return []string{name}, nil
	}
	for attribute, value := range object.Attributes() {
		if !tfvalue.Known(value) {
			unknown = append(unknown, name+"."+attribute)
		}
	}
	slices.Sort(unknown)
	if object.IsNull() || len(unknown) > 0 {
		return unknown, nil
	}
	// A null within is refused by the validators of the schema, in words of their own.
	return nil, object.As(ctx, into, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true})
}

// connection is how to reach an API server, as the provider block says it.
type connection struct {
	Host                  *string  `tfsdk:"host"`
	Token                 *string  `tfsdk:"token"`
	Username              *string  `tfsdk:"username"`
	Password              *string  `tfsdk:"password"`
	Insecure              *bool    `tfsdk:"insecure"`
	TLSServerName         *string  `tfsdk:"tls_server_name"`
	ClientCertificate     *string  `tfsdk:"client_certificate"`
	ClientKey             *string  `tfsdk:"client_key"`
	ClusterCACertificate  *string  `tfsdk:"cluster_ca_certificate"`
	ConfigPath            *string  `tfsdk:"config_path"`
	ConfigPaths           []string `tfsdk:"config_paths"`
	ConfigRaw             *string  `tfsdk:"config_raw"`
	ConfigContext         *string  `tfsdk:"config_context"`
	ConfigContextAuthInfo *string  `tfsdk:"config_context_auth_info"`
	ConfigContextCluster  *string  `tfsdk:"config_context_cluster"`
	ProxyURL              *string  `tfsdk:"proxy_url"`
	Exec                  *struct {
		APIVersion *string           `tfsdk:"api_version"`
		Command    string            `tfsdk:"command"`
		Args       []string          `tfsdk:"args"`
		Env        map[string]string `tfsdk:"env"`
	} `tfsdk:"exec"`
}

// settings are those of the connection at its place.
func (k connection) settings(place kube.Place, namespace *string) kube.Settings {
	settings := kube.Settings{
		Host: k.Host, Token: k.Token, Username: k.Username, Password: k.Password, Insecure: k.Insecure, TLSServerName: k.TLSServerName,
		ClientCertificate: k.ClientCertificate, ClientKey: k.ClientKey, ClusterCACertificate: k.ClusterCACertificate,
		ConfigPath: k.ConfigPath, ConfigPaths: k.ConfigPaths, ConfigRaw: k.ConfigRaw, ConfigContext: k.ConfigContext,
		ConfigContextAuthInfo: k.ConfigContextAuthInfo, ConfigContextCluster: k.ConfigContextCluster, ProxyURL: k.ProxyURL,
		Place: place, Namespace: namespace,
	}
	if k.Exec != nil {
		settings.Exec = &kube.Exec{Command: k.Exec.Command, Args: k.Exec.Args, Env: k.Exec.Env}
		if k.Exec.APIVersion != nil {
			settings.Exec.APIVersion = *k.Exec.APIVersion
		}
	}
	return settings
}

// connectionAttributes are the settings of a connection; prefix begins the names of their environment variables, empty = they have
// none.
func connectionAttributes(prefix string) map[string]schema.Attribute {
	from := func(variable string) string {
		if variable == "" || prefix == "" {
			return ""
		}
		return " Environment variable `" + prefix + variable + "`."
	}
	text := func(variable, description string) schema.StringAttribute {
		description += from(variable)
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	secret := func(variable, description string) schema.StringAttribute {
		a := text(variable, description)
		a.Sensitive = true
		return a
	}
	return map[string]schema.Attribute{
		"host":     text("HOST", "The URL of the API server."),
		"token":    secret("TOKEN", "A bearer token."),
		"username": text("USER", "The user of basic authentication."),
		"password": secret("PASSWORD", "The password of basic authentication."),
		"insecure": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether to take any server certificate." + from("INSECURE")},
		"tls_server_name":        text("TLS_SERVER_NAME", "The name to check the server certificate against, where it is not the host's."),
		"client_certificate":     text("CLIENT_CERT_DATA", "A client certificate as PEM text."),
		"client_key":             secret("CLIENT_KEY_DATA", "The key of the client certificate as PEM text."),
		"cluster_ca_certificate": text("CLUSTER_CA_CERT_DATA", "The CA certificates of the server as PEM text."),
		"config_path": text("CONFIG_PATH",
			"The path of a kubeconfig. `~` is the home folder. Excludes `config_paths` and `config_raw`."),
		"config_paths": schema.ListAttribute{Optional: true, ElementType: types.StringType,
			Validators: []validator.List{listvalidator.NoNullValues()}, MarkdownDescription: "Paths of kubeconfigs to merge as kubectl does." +
				strings.Replace(from("CONFIG_PATHS"), "`.", "`, joined by the system's list separator.", 1)},
		"config_raw":               secret("", "A kubeconfig as text. Excludes `config_path` and `config_paths`."),
		"config_context":           text("CTX", "The context to take from the kubeconfig."),
		"config_context_auth_info": text("CTX_AUTH_INFO", "The user to take instead of the context's."),
		"config_context_cluster":   text("CTX_CLUSTER", "The cluster to take instead of the context's."),
		"proxy_url":                text("PROXY_URL", "The proxy to use: http, https or socks5."),
		"exec": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "A program that prints credentials, as in a kubeconfig.",
			Attributes: map[string]schema.Attribute{
				"api_version": schema.StringAttribute{Optional: true,
					MarkdownDescription: "The version of `ExecCredential` that the program prints. Default `client.authentication.k8s.io/v1`."},
				"command": schema.StringAttribute{Required: true, MarkdownDescription: "The program."},
				"args": schema.ListAttribute{Optional: true, ElementType: types.StringType,
					Validators: []validator.List{listvalidator.NoNullValues()}, MarkdownDescription: "Its arguments."},
				"env": schema.MapAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.Map{mapvalidator.NoNullValues()},
					MarkdownDescription: "Variables that it gets in addition.", Sensitive: true},
			},
		},
	}
}
