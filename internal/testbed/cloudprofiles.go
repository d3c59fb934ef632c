package testbed

import (
	"context"
	"fmt"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// What every CloudProfile of the testbed offers and every Shoot of it uses.
const (
	region            = "region-1"
	zone              = "region-1a"
	kubernetesVersion = "1.33.2"
	laterVersion      = "1.33.5" // of Kubernetes, which maintenance may raise a Shoot to
	nextMinorVersion  = "1.34.1" // which the server would choose for a Shoot whose version is taken away
	machineType       = "medium"
	machineImage      = "gardenlinux"
	imageVersion      = "1877.1.0"
	laterImageVersion = "1877.4.0"
	volumeType        = "ssd"
)

// What the CloudProfile of aws offers beside it, for the examples: what their readers find on a landscape.
const (
	exampleRegion      = "eu-central-1"
	exampleMachineType = "m5.large"
	exampleVolumeType  = "gp3"
)

// ProviderTypes are the provider types of Gardener an account can have here. Each has a
// CloudProfile of the same name.
func ProviderTypes() []string {
	return []string{"alicloud", "aws", "azure", "gcp", "openstack"}
}

// classified is a version of Kubernetes with its classification: a cluster provider offers no version that has none. Gardener allows one
// supported version for each minor one.
func classified(version string, as gardencorev1beta1.VersionClassification) gardencorev1beta1.ExpirableVersion {
	return gardencorev1beta1.ExpirableVersion{Version: version, Classification: &as}
}

// createCloudProfiles makes what the defaulting of a Shoot reads.
func (g *Garden) createCloudProfiles(ctx context.Context) error {
	for _, providerType := range ProviderTypes() {
		profile := &gardencorev1beta1.CloudProfile{
			ObjectMeta: metav1.ObjectMeta{Name: providerType},
			Spec: gardencorev1beta1.CloudProfileSpec{
				Type: providerType,
				Kubernetes: gardencorev1beta1.KubernetesSettings{
					Versions: []gardencorev1beta1.ExpirableVersion{
						classified(kubernetesVersion, gardencorev1beta1.ClassificationDeprecated),
						classified(laterVersion, gardencorev1beta1.ClassificationSupported),
						classified(nextMinorVersion, gardencorev1beta1.ClassificationSupported),
					},
				},
				MachineImages: []gardencorev1beta1.MachineImage{{
					Name:     machineImage,
					Versions: []gardencorev1beta1.MachineImageVersion{image(imageVersion), image(laterImageVersion)},
				}},
				MachineTypes: []gardencorev1beta1.MachineType{machineTypeOf(machineType)},
				VolumeTypes:  []gardencorev1beta1.VolumeType{{Name: volumeType, Class: "standard", Usable: ptr.To(true)}},
				Regions: []gardencorev1beta1.Region{{
					Name:  region,
					Zones: []gardencorev1beta1.AvailabilityZone{{Name: zone}},
				}},
			},
		}
		if providerType == "aws" {
			addForExamples(&profile.Spec)
		}
		if err := g.client.Create(ctx, profile); err != nil {
			return fmt.Errorf("creating the CloudProfile %s: %w", providerType, err)
		}
	}
	return nil
}

// image is a version of the machine image.
func image(version string) gardencorev1beta1.MachineImageVersion {
	return gardencorev1beta1.MachineImageVersion{
		ExpirableVersion: gardencorev1beta1.ExpirableVersion{Version: version},
		CRI:              []gardencorev1beta1.CRI{{Name: gardencorev1beta1.CRINameContainerD}},
	}
}

func machineTypeOf(name string) gardencorev1beta1.MachineType {
	return gardencorev1beta1.MachineType{
		Name:   name,
		CPU:    resource.MustParse("2"),
		GPU:    resource.MustParse("0"),
		Memory: resource.MustParse("8Gi"),
		Usable: ptr.To(true),
	}
}

func addForExamples(spec *gardencorev1beta1.CloudProfileSpec) {
	spec.MachineTypes = append(spec.MachineTypes, machineTypeOf(exampleMachineType))
	spec.VolumeTypes = append(spec.VolumeTypes, gardencorev1beta1.VolumeType{Name: exampleVolumeType, Class: "standard", Usable: ptr.To(true)})
	spec.Regions = append(spec.Regions, gardencorev1beta1.Region{Name: exampleRegion, Zones: []gardencorev1beta1.AvailabilityZone{
		{Name: exampleRegion + "a"}, {Name: exampleRegion + "b"},
	}})
}
